// The agents as activities (P6): one for each, which does a step through its remote service and records it; and one that asks
// an agent over its queue (P7).
import * as df from "durable-functions";
import { agentNames } from "../shared/agents/agents.ts";
import { ports } from "../shared/compose.ts";
import type { StepTask } from "../shared/domain/attempt.ts";
import { askAgent } from "../shared/operations/ask-agent.ts";
import { runStep } from "../shared/operations/run-step.ts";
import { observe, type Subject } from "../shared/telemetry/invocation.ts";

for (const name of agentNames) {
  df.app.activity(`${name}Agent`, {
    handler: (task: StepTask, context) =>
      observe(context, subjectOf(task, task.step), (telemetry) => runStep(task, ports(), telemetry)),
  });
}

df.app.activity("askAgent", {
  handler: (task: StepTask, context) =>
    observe(context, subjectOf(task, `${task.step} by queue`), (telemetry) => askAgent(task, ports(), telemetry)),
});

function subjectOf(task: StepTask, name: string): Subject {
  const { orderId, attempt, step, agent, operation, direction, reply } = task;
  return { name, traceparent: reply.traceparent, attributes: { orderId, attempt, step, agent, operation, direction } };
}
