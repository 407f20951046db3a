// One step whose agent receives its requests over its queue (P7): sends the request. `take-reply.ts` handles the reply.
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import { ticketOf } from "../../messaging/agent-messages.ts";
import { handedOut } from "../admission/agent-presence.ts";
import { codeFaultOf } from "../code-fault.ts";
import type { Asking } from "../ports.ts";
import { recordAnswer, recordedEnd } from "./record-step.ts";
import { requestOf, type StepRequest, unasked } from "./step-request.ts";
import { TakeUp } from "./take-up.ts";
import { beginsIn, failStep } from "./unanswered.ts";

const TOO_LARGE = "the request to the agent is larger than its queue takes; nothing was sent";

/**
 * If it runs again after a crash it sends the same request under the same id: the queue drops it, or the agent recognises its key. A request that
 * is too large for its queue will also be too large the next time: it is rejected permanently, and no attempt waits for it.
 */
export function askAgent(given: StepTask, context: Asking): Promise<StepEnd | undefined> {
  return handedOut(context.presence, () => sendRequest(given, context));
}

async function sendRequest(given: StepTask, context: Asking): Promise<StepEnd | undefined> {
  const overtaken = await beginsIn(given, context);
  if (overtaken) return overtaken;
  let made: StepRequest;
  try {
    made = await requestOf(given, context);
  } catch (cause) {
    const isNotRepeated = context.agents.get(given.agent)?.isNotRepeated?.(given.operation) ?? false;
    return failStep(given, new TakeUp(given, isNotRepeated, context), codeFaultOf(cause, given), context);
  }
  const { request, begun } = made;
  const { task } = begun;
  if (begun.kind === "superseded") return recordedEnd(task, context, true);
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
