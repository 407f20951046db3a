// An agent of this app that is asked over its queue (P6, P7, P8): does the work inside its time, and replies or sends nothing.
import { after, durationMs } from "../domain/duration.ts";
import type { AgentRequestMessage, Failure } from "../messaging/agent-messages.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

const NOT_BY_QUEUE = "its service wants to be asked again, which a step that is asked over a queue can't be";

/**
 * Order of effects: where it takes long, word that it is at work; the remote service's; the reply, or where there is none in time, word of
 * why. After a death in between the request is delivered again, the
 * service recognises the idempotency key, and the reply is the same.
 */
export async function answerRequest(
  name: string,
  request: AgentRequestMessage,
  replyTo: string,
  ports: Ports,
  telemetry: Telemetry,
): Promise<void> {
  const agent = ports.agents.get(name);
  if (!agent) throw new Error(`the agent ${name} is not here`);
  const { ticket, operation, startBy, completeWithin, completeBy: latest, priority, ...asked } = request;
  const { orderId, attempt, step } = ticket;
  /** For the record alone: what can't be sent is not sent again. */
  const say = async (failure?: Failure): Promise<void> => {
    try {
      await ports.messenger.answer(replyTo, { ticket, kind: "started", ...(failure && { failure }) });
    } catch (cause) {
      telemetry.event("TakeUpUnrecorded", { orderId, attempt, step, cause: String(cause) });
    }
  };
  const answer = await agent.call(operation, asked, {
    priority,
    startBy,
    takeUp: async () => {
      const now = instant(ports.now());
      const completeBy = after(now, durationMs(completeWithin) ?? 0);
      if (now > startBy) return undefined;
      return completeBy < latest ? completeBy : latest;
    },
    stillAtWork: () => say(),
  });
  switch (answer.kind) {
    case "expired":
      telemetry.event("AgentStoppedSilently", { orderId, attempt, step, agent: name, tries: answer.tries });
      return answer.lastError && say({ tries: answer.tries, ...answer.lastError });
    case "notTakenUp":
      return telemetry.event("StepNotTakenUp", { orderId, attempt, step, agent: name, tries: 0 });
    case "pending":
      return ports.messenger.answer(replyTo, { ticket, kind: "rejected", message: NOT_BY_QUEUE, unsure: true });
    default:
      await ports.messenger.answer(replyTo, { ticket, ...answer });
  }
}
