// The scheduler (P4, P5, P8, P14): runs one attempt at a job.
import { scheduler } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";

df.app.orchestration("scheduler", scheduler);
