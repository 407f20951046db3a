// One step whose agent lives in this app (P6, P8): calls it inside the step's time, and records what came of it.
import type { StepOutcome, StepTask } from "../domain/attempt.ts";
import { lacksSecrets } from "../domain/order.ts";
import type { Ports, Telemetry } from "./ports.ts";
import { recordAnswer, recordedOutcome } from "./record-step.ts";
import { requestOf } from "./step-request.ts";
import { TakeUp } from "./take-up.ts";

/**
 * Order of effects: where it was taken up late, or takes long, the record of that; the remote service's; the record's; the status
 * message's. Run again after a death in between, the service recognises the idempotency key, the record shows the step done, and
 * the message has the same id.
 */
export async function runStep(task: StepTask, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const agent = ports.agents.get(task.agent);
  if (!agent)
    throw new Error(`step ${task.step} of order ${task.orderId} needs the agent ${task.agent}, which is not here`);
  const { startBy, priority } = task;
  const request = await requestOf(task, ports);
  // The order is closed: an earlier run of this task completed it, and died before it said so.
  if (lacksSecrets(request.order)) return expire(task, "StepNotTakenUp", 0, ports, telemetry);
  const run = new TakeUp(task, ports, telemetry);
  const reply = await agent.call(task.operation, request, {
    priority,
    startBy,
    takeUp: () => run.begin(),
    stillAtWork: () => run.record(),
  });
  switch (reply.kind) {
    case "expired":
      return expire(task, "AgentStoppedSilently", reply.tries, ports, telemetry);
    case "notTakenUp":
      return expire(task, "StepNotTakenUp", 0, ports, telemetry);
    default:
      return recordAnswer(task, { ...reply, startedAt: run.startedAt }, ports, telemetry);
  }
}

/** Silence, unless an earlier run of this very task had recorded its outcome before it died. */
async function expire(
  task: StepTask,
  event: "AgentStoppedSilently" | "StepNotTakenUp",
  tries: number,
  ports: Ports,
  telemetry: Telemetry,
): Promise<StepOutcome> {
  const outcome = await recordedOutcome(task, ports, telemetry);
  if (outcome) return outcome;
  const { orderId, attempt, step, agent } = task;
  telemetry.event(event, { orderId, attempt, step, agent, tries });
  return { kind: "expired" };
}
