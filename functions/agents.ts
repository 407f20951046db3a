// The agents as activities (P6): one for each, which does a step through its remote service and records it; and one that asks
// an agent over its queue (P7).
import type { InvocationContext } from "@azure/functions";
import type { StepOutcome, StepTask } from "@scheduler-agent-supervisor/core/domain/attempt";
import { askAgent } from "@scheduler-agent-supervisor/core/operations/ask-agent";
import type { StepEnd } from "@scheduler-agent-supervisor/core/operations/record-step";
import { runStep } from "@scheduler-agent-supervisor/core/operations/run-step";
import { reportEnd } from "@scheduler-agent-supervisor/core/scheduler-client";
import { observe, type Subject } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

for (const name of application.business.agentNames) {
  df.app.activity(`${name}Agent`, {
    extraInputs: [df.input.durableClient()],
    handler: (task: StepTask, context) =>
      observe(context, subjectOf(task, task.step), async (telemetry) =>
        reported(await runStep(task, application.contextOf(telemetry)), task, context),
      ),
  });
}

df.app.activity("askAgent", {
  extraInputs: [df.input.durableClient()],
  handler: (task: StepTask, context) =>
    observe(context, subjectOf(task, `${task.step} by queue`), async (telemetry) => {
      const end = await askAgent(task, application.contextOf(telemetry));
      return end && reported(end, task, context);
    }),
});

/** Where store or engine are away, the activity fails and is run again, or its step expires: the supervisor sees to it. */
async function reported(end: StepEnd, { orderId }: StepTask, context: InvocationContext): Promise<StepOutcome> {
  await reportEnd(df.getClient(context), orderId, end);
  return end.outcome;
}

function subjectOf(task: StepTask, name: string): Subject {
  const { orderId, attempt, step, agent, operation, direction, reply } = task;
  return { name, traceparent: reply.traceparent, attributes: { orderId, attempt, step, agent, operation, direction } };
}
