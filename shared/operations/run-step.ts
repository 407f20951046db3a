// One step whose agent lives in this app (P6, P8): calls it inside the step's time, and records what came of it.
import type { StepOutcome, StepTask } from "../domain/attempt.ts";
import type { Ports, Telemetry } from "./ports.ts";
import { recordAnswer, recordedOutcome } from "./record-step.ts";
import { requestOf } from "./step-request.ts";

/**
 * Order of effects: the remote service's, then the record's, then the status message's. Run again after a death in
 * between, the service recognises the idempotency key, the record shows the step done, and the message has the same id.
 */
export async function runStep(task: StepTask, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const agent = ports.agents.get(task.agent);
  if (!agent)
    throw new Error(`step ${task.step} of order ${task.orderId} needs the agent ${task.agent}, which is not here`);
  const { completeBy, priority } = task;
  const reply = await agent.call(task.operation, await requestOf(task, ports), { completeBy, priority });
  return reply.kind === "expired"
    ? expire(task, reply.tries, ports, telemetry)
    : recordAnswer(task, reply, ports, telemetry);
}

/** Past complete-by: silence, unless an earlier run of this very task had recorded its outcome before it died. */
async function expire(task: StepTask, tries: number, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const outcome = await recordedOutcome(task, ports, telemetry);
  if (outcome) return outcome;
  const { orderId, attempt, step, agent } = task;
  telemetry.event("AgentStoppedSilently", { orderId, attempt, step, agent, tries });
  return { kind: "expired" };
}
