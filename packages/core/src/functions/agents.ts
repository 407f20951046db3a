// The agents as activities (P6): run and record a step through its remote service, or send its request to the agent's queue (P7).
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { StepEnd, StepOutcome, StepTask } from "../domain/steps/attempt.ts";
import { outputOf } from "../domain/steps/news.ts";
import { reportEnd } from "../scheduler/scheduler-client.ts";
import { askAgent } from "../scheduler/steps/ask-agent.ts";
import { runStep } from "../scheduler/steps/run-step.ts";
import { runSteps } from "../scheduler/steps/run-steps.ts";
import { type InvocationSpan, observe } from "../telemetry/invocation.ts";
import { engineClient } from "./engine-client.ts";

/** Runs a step through its agent's service, and the following steps of the same activity. */
export const agentActivity = (application: App) => async (first: StepTask, context: InvocationContext) => {
  const run = (task: StepTask) =>
    observe(context, subjectOf(task, task.step), (telemetry) => runStep(task, application.contextOf(telemetry)));
  const { now, timing } = application.ports();
  return reported(await runSteps(first, run, now, timing.functionTimeoutMs, timing.startWithinMs), first, context);
};

/** Sends the request of a step to its agent's queue. */
export const askAgentActivity = (application: App) => (task: StepTask, context: InvocationContext) =>
  observe(context, subjectOf(task, `${task.step} by queue`), async (telemetry) => {
    const end = await askAgent(task, application.contextOf(telemetry));
    return end && reported(end, task, context);
  });

/** While store or engine are unavailable, the activity fails and is run again, or its step expires and the supervisor recovers it. */
async function reported(end: StepEnd, task: StepTask, context: InvocationContext): Promise<StepOutcome | undefined> {
  await reportEnd(engineClient(context), task.jobId, end);
  return outputOf(task, end);
}

function subjectOf(task: StepTask, name: string): InvocationSpan {
  const { jobId, attempt, step, agent, operation, direction, reply } = task;
  return { name, traceparent: reply.traceparent, attributes: { jobId, attempt, step, agent, operation, direction } };
}
