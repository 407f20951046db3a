// An agent of this app that receives its requests over its queue (P6, P7, P8): does the work within its time, and sends a reply or nothing.
import type { BoundedReply, Bounds, Fault, LastError, Start } from "../../agents/agent.ts";
import { secretValuesOf } from "../../domain/content/redactor.ts";
import { after, durationMs, instant } from "../../domain/duration.ts";
import { runOf } from "../../domain/record/plan.ts";
import { inWords } from "../../domain/thrown.ts";
import type { AgentRequestMessage, Failure, Ticket } from "../../messaging/agent-messages.ts";
import { allSecrets } from "../../messaging/contract.ts";
import type { Versioned } from "../../store/job-store.ts";
import { codeFaultOf, throwingWithout } from "../code-fault.ts";
import type { Asking } from "../ports.ts";
import { taskIn } from "./reply-task.ts";
import { certaintyOf } from "./run-step.ts";
import { TakeUp } from "./take-up.ts";
import { patienceOf } from "./unanswered.ts";

/**
 * Order of effects: for an operation that must not be repeated, the record of the start; a message that it is in progress, if it takes long; the remote service's effect; the reply, or, shortly before complete-by, a
 * message with what is known of the last try. After complete-by it sends nothing (P8). After a crash in between the request is delivered again, the service recognises the idempotency key, and the reply is
 * the same.
 * @param isRedelivered an earlier delivery may have killed its process: that it is taken up is said before the request goes out, so that it counts
 */
export async function answerRequest(
  name: string,
  request: AgentRequestMessage,
  replyTo: string,
  context: Asking,
  isRedelivered = false,
): Promise<void> {
  const agent = context.agents.get(name);
  if (!agent) throw new Error(`the agent ${name} is not here`);
  const { ticket, operation, startBy, completeWithin, completeBy: latest, priority, ...asked } = request;
  const { awaited } = asked;
  const isNotRepeated = !awaited && agent.isNotRepeated?.(operation) === true;
  let completeBy: string | undefined;
  let isNoted = false;
  const { jobId, attempt, step } = ticket;
  /** Only for the record: a message that can't be sent is not sent again. Past complete-by nothing is sent (P8). */
  const say = async (failure?: Failure): Promise<void> => {
    if (instant(context.now()) > (completeBy ?? latest)) return;
    try {
      await context.messenger.answer(replyTo, { ticket, kind: "started", ...(failure && { failure }) });
    } catch (cause) {
      context.telemetry.event("TakeUpUnrecorded", { jobId, attempt, step, cause: inWords(cause) });
    }
  };
  const noteFault = async ({ tries, lastError }: Fault): Promise<void> => {
    isNoted = true;
    await say({ tries, ...explicit(lastError) });
  };
  /** For a step that is done later: its service is polled again. */
  const later = async (why: Partial<LastError> = {}) => {
    const { message = "its service could not be asked", ...more } = why;
    if (instant(context.now()) > latest) return;
    await context.messenger.answer(replyTo, { ticket, kind: "unavailable", message, ...more });
  };
  let answer: BoundedReply;
  try {
    const secrets = secretsIn(request, context);
    const bounds: Bounds = {
      secrets,
      priority,
      startBy: patienceOf(request, context),
      takeUp: async () => {
        const now = instant(context.now());
        if (now > startBy) return undefined;
        const own = after(now, durationMs(completeWithin) ?? 0);
        const start = isNotRepeated ? await recordStart(ticket, context) : { completeBy: own < latest ? own : latest };
        completeBy = start?.completeBy;
        if (isRedelivered && start && !awaited) await say();
        return start;
      },
      stillAtWork: () => say(),
      ...(!awaited && { noteFault }),
    };
    answer = await throwingWithout(secrets, () => agent.call(operation, asked, bounds));
  } catch (cause) {
    answer = {
      kind: "expired",
      tries: 0,
      lastError: codeFaultOf(cause, { agent: name, operation }),
    };
    // The code may have failed before the request was taken up.
    if (isNotRepeated && completeBy === undefined) await recordStart(ticket, context, false);
    if (!awaited) await say();
  }
  const isAnswered = answer.kind !== "expired" && answer.kind !== "notTakenUp";
  if (isAnswered && instant(context.now()) > ((awaited ? undefined : completeBy) ?? latest)) {
    context.telemetry.event("AgentTimedOut", { jobId, attempt, step, agent: name, tries: 0 });
    return;
  }
  switch (answer.kind) {
    case "expired":
      if (awaited) return later(answer.lastError && explicit(answer.lastError));
      context.telemetry.event("AgentTimedOut", { jobId, attempt, step, agent: name, tries: answer.tries });
      if (isNoted || !answer.lastError) return;
      return noteFault({ tries: answer.tries, lastError: answer.lastError });
    case "notTakenUp":
      if (awaited) return later({ message: "it found no place to ask its service" });
      return context.telemetry.event("StepNotTakenUp", { jobId, attempt, step, agent: name, tries: 0 });
    case "rejected":
      return context.messenger.answer(replyTo, { ticket, ...answer, ...certaintyOf(answer, agent, { operation }) });
    default:
      await context.messenger.answer(replyTo, { ticket, ...answer });
  }
}

/** Undefined if no attempt waits for the step any more, or its service has accepted it. */
async function recordStart(ticket: Ticket, context: Asking, isSent = true): Promise<Start | undefined> {
  const { jobId, attempt, step, direction } = ticket;
  const isAsked = (read: Versioned | undefined) => runOf(read?.record.steps[step], direction)?.attempt === attempt;
  let read = await context.store.state(jobId);
  // The request may be faster than the record of it: then nobody would do it.
  if (!isAsked(read)) read = await context.store.latest(jobId);
  const task = read && isAsked(read) ? taskIn(read.record, ticket, context) : undefined;
  return task && new TakeUp(task, true, context).begin(isSent);
}

/** Without it the answer of another team's agent counts as one about the request. */
function explicit(error: LastError): LastError {
  const { misconfigured, ofRequest = false } = error;
  return misconfigured ? { ...error, ofRequest } : error;
}

/** Those that the agent has declared. Whoever records the reply knows the whole job. */
function secretsIn({ job, ticket: { nonce } }: AgentRequestMessage, { rules }: Asking): readonly string[] {
  return [...secretValuesOf(job, allSecrets(rules.contracts)), ...(nonce === undefined ? [] : [nonce])];
}
