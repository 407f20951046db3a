// The agents (P6): one activity for each, which does a step through its remote service and records it.
import * as df from "durable-functions";
import { agentNames } from "../shared/agents/agents.ts";
import { ports } from "../shared/compose.ts";
import type { StepTask } from "../shared/domain/attempt.ts";
import { runStep } from "../shared/operations/run-step.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

for (const name of agentNames) {
  df.app.activity(`${name}Agent`, {
    handler: (task: StepTask, context) => runStep(task, ports(), logTelemetry(context)),
  });
}
