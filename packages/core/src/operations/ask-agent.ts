// One step whose agent is asked over its queue (P7): sends the request. The reply comes to `take-reply.ts`.
import type { StepEnd, StepTask } from "../domain/attempt.ts";
import { ticketOf } from "../messaging/agent-messages.ts";
import type { Context } from "./ports.ts";
import { recordAnswer, unasked } from "./record-step.ts";
import { requestOf } from "./step-request.ts";

const TOO_LARGE = "the request to the agent is larger than its queue takes; nothing was sent";

/**
 * Run again after a death it sends the same request under the same id: the queue drops it, or the agent knows its key. A request that is
 * too large for its queue will be so the next time too: that is a rejection for good, and no reason to wait.
 */
export async function askAgent(given: StepTask, context: Context): Promise<StepEnd | undefined> {
  const { request, begun } = await requestOf(given, context);
  const { task } = begun;
  if (begun.kind !== "begun") return recordAnswer(task, unasked(begun), context);
  const { jobId, attempt, step, agent, operation, priority } = task;
  const { startBy, completeWithin, completeBy } = task;
  const leftMs = Date.parse(startBy) - context.now();
  if (leftMs <= 0) {
    context.telemetry.event("StepNotTakenUp", { jobId, attempt, step, agent, tries: 0 });
    return undefined;
  }
  const asked = { ticket: ticketOf(task), operation, startBy, completeWithin, completeBy, priority, ...request };
  if ((await context.messenger.ask(agent, asked, leftMs)) === "asked") return undefined;
  const rejection = {
    kind: "rejected",
    message: TOO_LARGE,
    endpoint: `queue of ${agent}`,
    because: "too large",
  } as const;
  return recordAnswer(task, rejection, context);
}
