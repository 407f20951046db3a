// An agent of this app that receives its requests over its queue (P6, P7, P8): does the work within its time, and sends a reply or nothing.
import type { BoundedReply, Fault, LastError } from "../agents/agent.ts";
import { after, durationMs } from "../domain/duration.ts";
import type { AgentRequestMessage, Failure } from "../messaging/agent-messages.ts";
import { codeFaultOf } from "./code-fault.ts";
import { type Context, instant } from "./ports.ts";

/**
 * Order of effects: a message that it is in progress, if it takes long; the remote service's effect; the reply, or, shortly before complete-by, a
 * message with what is known of the last try. After complete-by it sends nothing (P8). After a crash in between the request is delivered again, the service recognises the idempotency key, and the reply is
 * the same.
 */
export async function answerRequest(
  name: string,
  request: AgentRequestMessage,
  replyTo: string,
  context: Context,
): Promise<void> {
  const agent = context.agents.get(name);
  if (!agent) throw new Error(`the agent ${name} is not here`);
  const { ticket, operation, startBy, completeWithin, completeBy: latest, priority, ...asked } = request;
  const { awaited } = asked;
  let completeBy: string | undefined;
  let isNoted = false;
  const { jobId, attempt, step } = ticket;
  /** Only for the record: a message that can't be sent is not sent again. Past complete-by nothing is sent (P8). */
  const say = async (failure?: Failure): Promise<void> => {
    if (instant(context.now()) > (completeBy ?? latest)) return;
    try {
      await context.messenger.answer(replyTo, { ticket, kind: "started", ...(failure && { failure }) });
    } catch (cause) {
      context.telemetry.event("TakeUpUnrecorded", { jobId, attempt, step, cause: String(cause) });
    }
  };
  const noteFault = async ({ tries, lastError }: Fault): Promise<void> => {
    isNoted = true;
    await say({ tries, ...lastError });
  };
  /** For a step that is done later: its service is polled again. */
  const later = async (why: Partial<LastError> = {}) => {
    const { message = "its service could not be asked", ...more } = why;
    if (instant(context.now()) > latest) return;
    await context.messenger.answer(replyTo, { ticket, kind: "unavailable", message, ...more });
  };
  let answer: BoundedReply;
  try {
    answer = await agent.call(operation, asked, {
      priority,
      startBy,
      takeUp: async () => {
        const now = instant(context.now());
        if (now > startBy) return undefined;
        const own = after(now, durationMs(completeWithin) ?? 0);
        completeBy = own < latest ? own : latest;
        return completeBy;
      },
      stillAtWork: () => say(),
      ...(!awaited && { noteFault }),
    });
  } catch (cause) {
    answer = {
      kind: "expired",
      tries: 0,
      lastError: codeFaultOf(cause, { ...ticket, agent: name }, context.telemetry),
    };
    if (!awaited) await say();
  }
  switch (answer.kind) {
    case "expired":
      if (awaited) return later(answer.lastError);
      context.telemetry.event("AgentTimedOut", { jobId, attempt, step, agent: name, tries: answer.tries });
      if (isNoted || !answer.lastError) return;
      return noteFault({ tries: answer.tries, lastError: answer.lastError });
    case "notTakenUp":
      if (awaited) return later({ message: "it found no place to ask its service" });
      return context.telemetry.event("StepNotTakenUp", { jobId, attempt, step, agent: name, tries: 0 });
    default:
      await context.messenger.answer(replyTo, { ticket, ...answer });
  }
}
