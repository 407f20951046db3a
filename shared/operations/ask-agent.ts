// One step whose agent is asked over its queue (P7): sends the request. The reply comes to `take-reply.ts`.
import type { StepTask } from "../domain/attempt.ts";
import { runOf } from "../domain/plan.ts";
import type { Ports, Telemetry } from "./ports.ts";
import { requestOf } from "./step-request.ts";

/** Run again after a death it sends the same request under the same id: the queue drops it, or the agent knows its key. */
export async function askAgent(task: StepTask, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, step, direction, lockedBy, record, agent, operation, priority } = task;
  const { startBy, completeWithin, completeBy } = task;
  const request = await requestOf(task, ports);
  const leftMs = Date.parse(startBy) - ports.now();
  if (leftMs <= 0) return telemetry.event("StepNotTakenUp", { orderId, attempt, step, agent, tries: 0 });
  const ticket = { orderId, attempt, step, direction, lockedBy, nonce: runOf(record, direction)?.nonce };
  const asked = { ticket, operation, startBy, completeWithin, completeBy, priority, ...request };
  await ports.messenger.ask(agent, asked, leftMs);
}
