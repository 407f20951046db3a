// An action on many jobs (P9, P13): an orchestration that outlives every process, and the activity that does one turn.
import { bulkOrchestration, bulkTurn } from "@scheduler-agent-supervisor/operator/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

df.app.orchestration("bulkRun", bulkOrchestration);
df.app.activity("bulkTurn", { handler: bulkTurn(application) });
