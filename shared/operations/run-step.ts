// One step (P6, P8, P9): calls the agent inside its time and records what came of it, fenced by the attempt.
import { callWithin } from "../agents/call-within.ts";
import type { StepOutcome, StepTask } from "../domain/attempt.ts";
import { idempotencyKey, type StateRecord, type StepRecord, type StepResult } from "../domain/state-record.ts";
import { completed, completeStep, rejected, rejectStep, started } from "../domain/transitions.ts";
import { concludeError, concludeProcessed } from "./conclude-order.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

/**
 * Order of effects: the remote service's, then the record's, then the status message's. Run again after a death in
 * between, the service recognises the idempotency key, the record shows the step done, and the message has the same id.
 */
export async function runStep(task: StepTask, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const agent = ports.agents.get(task.agent);
  if (!agent)
    throw new Error(`step ${task.step} of order ${task.orderId} needs the agent ${task.agent}, which is not here`);
  const request = {
    order: await ports.store.order(task.orderId),
    results: task.results,
    idempotencyKey: idempotencyKey(task.orderId, task.step),
  };
  const reply = await callWithin(agent, request, task.completeBy, ports.now);
  switch (reply.kind) {
    case "done":
      return complete(task, reply.result, reply.endpoint, ports, telemetry);
    case "rejected":
      return reject(task, reply.message, reply.endpoint, ports, telemetry);
    case "expired":
      return expire(task, reply.tries, ports, telemetry);
    default:
      return reply satisfies never;
  }
}

async function complete(
  task: StepTask,
  result: StepResult,
  endpoint: string,
  ports: Ports,
  telemetry: Telemetry,
): Promise<StepOutcome> {
  const now = instant(ports.now());
  const done = completed(task.record, result, endpoint, now);
  const next = task.next && { name: task.next.name, record: started(task.next.record, task.next.completeWithin, now) };
  const written = await ports.store.change(task.orderId, completeStep(task, done, next, now));
  if (written.kind === "refused") return resume(task, ports, telemetry);
  return conclude(task, written.record, ports, telemetry);
}

async function reject(
  task: StepTask,
  message: string,
  endpoint: string,
  ports: Ports,
  telemetry: Telemetry,
): Promise<StepOutcome> {
  const now = instant(ports.now());
  const { step, agent } = task;
  const failed = rejected(task.record, message, endpoint, now);
  const error = { kind: "rejected", message, step, agent, at: now } as const;
  const written = await ports.store.change(task.orderId, rejectStep(task, failed, error, now));
  if (written.kind === "refused") return resume(task, ports, telemetry);
  return conclude(task, written.record, ports, telemetry);
}

/** Past complete-by: silence, unless an earlier run of this very task had recorded its outcome before it died. */
async function expire(task: StepTask, tries: number, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const outcome = await recordedOutcome(task, ports, telemetry);
  if (outcome) return outcome;
  const { orderId, attempt, step, agent } = task;
  telemetry.event("AgentStoppedSilently", { orderId, attempt, step, agent, tries });
  return { kind: "expired" };
}

/** The write was refused: either an earlier run of this task made it, or the attempt is no longer the holder. */
async function resume(task: StepTask, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const outcome = await recordedOutcome(task, ports, telemetry);
  if (outcome) return outcome;
  const { orderId, attempt, step, agent } = task;
  telemetry.event("AttemptSuperseded", { orderId, attempt, step, agent });
  return { kind: "superseded" };
}

async function recordedOutcome(task: StepTask, ports: Ports, telemetry: Telemetry): Promise<StepOutcome | undefined> {
  const record = (await ports.store.state(task.orderId))?.record;
  // The attempt's number is its fence: no other attempt writes under it.
  if (record?.attempt !== task.attempt) return undefined;
  const state = record.steps[task.step]?.state;
  return state === "Completed" || state === "Failed" ? conclude(task, record, ports, telemetry) : undefined;
}

/** What the stored record means for the scheduler; where it has ended, the shop is told first. */
async function conclude(task: StepTask, record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const { orderId, attempt, step, agent } = task;
  const own = stepOf(record, step);
  if (own.state === "Failed") {
    telemetry.event("StepRejected", { orderId, attempt, step, agent, message: own.error });
    await concludeError(record, ports, telemetry);
    return { kind: "rejected" };
  }
  telemetry.event("StepCompleted", { orderId, attempt, step, agent, ms: elapsedMs(own) });
  if (!task.next) await concludeProcessed(record, ports, telemetry);
  const next = task.next && { name: task.next.name, record: stepOf(record, task.next.name) };
  return { kind: "completed", record: own, next };
}

function stepOf(record: StateRecord, name: string): StepRecord {
  const step = record.steps[name];
  if (!step) throw new Error(`the record of order ${record.orderId} has no step ${name}`);
  return step;
}

function elapsedMs({ startedAt, endedAt }: StepRecord): number | null {
  return startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : null;
}
