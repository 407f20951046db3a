// An agent of this app that is asked over its queue (P6, P7, P8): does the work inside its time, and replies or falls silent.
import type { AgentRequestMessage } from "../messaging/agent-messages.ts";
import type { Ports, Telemetry } from "./ports.ts";

/**
 * Order of effects: the remote service's, then the reply. After a death in between the request is delivered again, the
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
  const { ticket, operation, completeBy, priority, ...asked } = request;
  const answer = await agent.call(operation, asked, { completeBy, priority });
  if (answer.kind === "expired") {
    const { orderId, attempt, step } = ticket;
    return telemetry.event("AgentStoppedSilently", { orderId, attempt, step, agent: name, tries: answer.tries });
  }
  await ports.messenger.answer(replyTo, { ticket, ...answer });
}
