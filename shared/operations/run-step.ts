// One step (P6, P8, P9, P13): calls the agent inside its time and records what came of it, fenced by the attempt.
import type { AgentRequest, BoundedReply } from "../agents/agent.ts";
import type { NextStep, StepOutcome, StepTask } from "../domain/attempt.ts";
import { isDone, runOf } from "../domain/plan.ts";
import { idempotencyKey, type StateRecord, type StepRecord } from "../domain/state-record.ts";
import { done, refused, started } from "../domain/step-run.ts";
import { completeAmong, completeLevel, completeOrder, rejectAndUndo, rejectStep } from "../domain/transitions.ts";
import { policyFor } from "../domain/workflow.ts";
import type { Written } from "../store/order-store.ts";
import { concludeOrder, endingOf, passOn, tellStep, type Undone } from "./conclude-order.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

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
  if (reply.kind === "expired") return expire(task, reply.tries, ports, telemetry);
  const written = await record(task, reply, ports);
  return written.kind === "written"
    ? outcomeOf(task, written.record, ports, telemetry)
    : resume(task, ports, telemetry);
}

async function requestOf(task: StepTask, ports: Ports): Promise<Omit<AgentRequest, "signal" | "endpoint">> {
  const { orderId, step, direction, record, results } = task;
  const { generation } = record;
  const undoes = { result: record.result, idempotencyKey: idempotencyKey(orderId, step, "forward", generation) };
  return {
    order: await ports.store.order(orderId, task.orderRevision),
    results,
    idempotencyKey: idempotencyKey(orderId, step, direction, generation),
    undoes: direction === "undo" ? undoes : null,
  };
}

type Answer = Exclude<BoundedReply, { kind: "expired" }>;

function record(task: StepTask, reply: Answer, ports: Ports): Promise<Written> {
  const now = instant(ports.now());
  const { direction } = task;
  if (reply.kind === "done") return close(task, done(task.record, direction, reply.result, reply, now), now, ports);
  const failed = refused(task.record, direction, reply.message, reply, now);
  // An undo that the service refuses for good is left to a person; the other steps are undone all the same.
  return direction === "undo" ? close(task, failed, now, ports) : reject(task, failed, reply.message, now, ports);
}

/** The last of a level to end marks the next one Running or concludes; of the two guards exactly one can hold. */
async function close(task: StepTask, ended: StepRecord, now: string, ports: Ports): Promise<Written> {
  const { orderId, siblings, next, direction } = task;
  if (siblings.length > 0) {
    const among = await ports.store.change(orderId, completeAmong(task, ended, now));
    if (among.kind === "written") return among;
  }
  if (next.length > 0) {
    const running = next.map((step) => started(step, direction, now));
    return ports.store.change(orderId, completeLevel(task, ended, running, now));
  }
  const undone = direction === "undo" ? await undoneBy(task, ended, ports) : null;
  const ending = endingOf(ports.workflows.of(task.workflow), undone, now);
  return ports.store.change(orderId, completeOrder(task, ended, ending, now));
}

/** What an undo's end says depends on every step and on the cause; that end is rare, so it is worth a read. */
async function undoneBy({ orderId, step }: StepTask, ended: StepRecord, ports: Ports): Promise<Undone> {
  const stored = await ports.store.state(orderId);
  return { steps: { ...stored?.record.steps, [step]: ended }, cause: stored?.record.error ?? null };
}

function reject(task: StepTask, failed: StepRecord, message: string, now: string, ports: Ports): Promise<Written> {
  const { orderId, step, agent } = task;
  const error = { kind: "rejected", message, step, agent, at: now } as const;
  const { onRejected } = policyFor(ports.workflows.of(task.workflow), step);
  if (onRejected === "fail") return ports.store.change(orderId, rejectStep(task, failed, error, now));
  const claimBy = instant(ports.now() + ports.timing.claimWithinMs);
  return ports.store.change(orderId, rejectAndUndo(task, failed, error, now, claimBy));
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
  telemetry.event("LateReplyRejected", { orderId, attempt, step, agent });
  await enterLateReply(task, ports, telemetry);
  return { kind: "superseded" };
}

/** The ledger is for people: where it can't be written, the step's silence is worth more than the entry. */
async function enterLateReply({ orderId, attempt, step }: StepTask, ports: Ports, telemetry: Telemetry): Promise<void> {
  const reason = "the attempt no longer holds the order";
  try {
    await ports.supervision.lateReply({ at: instant(ports.now()), orderId, attempt, step, reason });
  } catch (cause) {
    telemetry.event("LedgerUnwritten", { orderId, cause: String(cause) });
  }
}

/** What an earlier run of this task wrote. The attempt's number is its fence: no other attempt writes under it. */
async function recordedOutcome(task: StepTask, ports: Ports, telemetry: Telemetry): Promise<StepOutcome | undefined> {
  const stored = (await ports.store.state(task.orderId))?.record;
  if (!stored) return undefined;
  const own = stored.steps[task.step];
  const refusedForGood = task.direction === "forward" && own?.state === "Failed";
  const isOwn = stored.attempt === task.attempt && (isDone(own, task.direction) || refusedForGood);
  const ledToUndo = refusedForGood && stored.attempt === task.attempt + 1 && stored.direction === "undo";
  return isOwn || ledToUndo ? outcomeOf(task, stored, ports, telemetry) : undefined;
}

/** What the stored record means for the scheduler; where it has ended, or goes the other way, that is told first. */
async function outcomeOf(
  task: StepTask,
  stored: StateRecord,
  ports: Ports,
  telemetry: Telemetry,
): Promise<StepOutcome> {
  const { orderId, attempt, step, agent, direction } = task;
  const own = stepOf(stored, step);
  if (direction === "forward" && own.state === "Failed") {
    telemetry.event("StepRejected", { orderId, attempt, step, agent, message: own.error });
    await (stored.processState === "Pending"
      ? passOn(stored, ports, telemetry)
      : concludeOrder(stored, ports, telemetry));
    return { kind: "rejected" };
  }
  const run = runOf(own, direction);
  telemetry.event(direction === "forward" ? "StepCompleted" : "StepUndone", {
    orderId,
    attempt,
    step,
    agent,
    state: run?.state ?? null,
    endpoint: run?.endpoint ?? null,
    ms: run?.startedAt && run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.startedAt) : null,
  });
  if (direction === "forward") await tellStep(stored, step, ports, telemetry);
  if (stored.processState !== "Processing") await concludeOrder(stored, ports, telemetry);
  return { kind: "completed", step, record: own, next: runningNext(task, stored) };
}

/** The next level, if it is marked Running: the last of this level to end has done that. */
function runningNext({ next, direction }: StepTask, stored: StateRecord): NextStep[] {
  return next.flatMap(({ name }) => {
    const record = stepOf(stored, name);
    const run = runOf(record, direction);
    return run?.state === "Running" && run.completeBy ? [{ name, record, completeBy: run.completeBy }] : [];
  });
}

function stepOf(record: StateRecord, name: string): StepRecord {
  const step = record.steps[name];
  if (!step) throw new Error(`the record of order ${record.orderId} has no step ${name}`);
  return step;
}
