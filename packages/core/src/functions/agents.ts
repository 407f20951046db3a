// The agents (P6, P7): as activities, behind their queues, and what comes back of the steps that they were asked for.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { OwnReplies } from "../app/define-agent.ts";
import type { StepEnd, StepOutcome, StepTask } from "../domain/steps/attempt.ts";
import { outputOf } from "../domain/steps/news.ts";
import { type AgentRequestMessage, parseAgentRequest, type Ticket } from "../messaging/agent-messages.ts";
import { requestsQueueOf } from "../messaging/queues.ts";
import { reportEnd } from "../scheduler/scheduler-client.ts";
import { answerRequest } from "../scheduler/steps/answer-request.ts";
import { askAgent } from "../scheduler/steps/ask-agent.ts";
import { reportByKey } from "../scheduler/steps/report-by-key.ts";
import { runStep, runSteps } from "../scheduler/steps/run-step.ts";
import { takeReply } from "../scheduler/steps/take-reply.ts";
import { type InvocationSpan, observe } from "../telemetry/invocation.ts";
import { describeSpan } from "../telemetry/spans.ts";
import { engineClient } from "./engine-client.ts";
import { receive } from "./receive.ts";

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

/** The Service Bus function of an agent's queue of requests: calls the agent, and sends its reply. */
export function agentRequests(application: App, agent: string) {
  const subjectOf = ({ ticket }: Partial<AgentRequestMessage>) => {
    const { jobId, attempt, step }: Partial<Ticket> = ticket ?? {};
    return { jobId: jobId ?? null, attempt: attempt ?? null, step: step ?? null, agent };
  };
  return receive(application, { queue: requestsQueueOf(agent), subjectOf }, (message, context, { triggerMetadata }) => {
    const { body, replyTo = application.repliesQueue() } = message;
    const isRedelivered = Number(triggerMetadata?.["deliveryCount"] ?? 1) > 1;
    return answerRequest(agent, parseAgentRequest(body), replyTo, context, isRedelivered);
  });
}

/** The Service Bus function of the agents' replies: records the result of a step. A late or duplicate reply changes nothing. */
export const agentReplies = (application: App) =>
  receive(application, { queue: application.repliesQueue }, async (message, context, invocation) => {
    const received = await takeReply(message.body, context, { queue: message.queue, message });
    if (!received) return;
    const { jobId, attempt, step } = received.ticket;
    describeSpan({ jobId, attempt, step });
    if (await reportEnd(engineClient(invocation), jobId, received)) return;
    // The reply is recorded; the supervisor finds that no attempt continues from there.
    context.telemetry.event("ReplyUnclaimed", { jobId, attempt, step });
  });

/** The same of the reply queue of an agent of this app (P15, P22): reports the end of the step whose idempotency key is the message's correlation id. */
export const ownReplies = (application: App, { queue, endOf }: OwnReplies) =>
  receive(application, { queue }, async ({ correlationId = "" }, context, invocation) => {
    const received = await reportByKey(correlationId, endOf, context);
    if (received) await reportEnd(engineClient(invocation), received.ticket.jobId, received);
  });
