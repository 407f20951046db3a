// A step's outcome (P8, P9, P13): recorded, fenced by the step's own run, published, and handed to the scheduler.
import type { BoundedReply } from "../agents/agent.ts";
import type { StepOutcome, StepTask } from "../domain/attempt.ts";
import { type Compensated, endingOf } from "../domain/ending.ts";
import { isClosed, runOf, runsInHand } from "../domain/plan.ts";
import { skippedFor } from "../domain/skip.ts";
import { hasEnded, type StateRecord, type StepRecord } from "../domain/state-record.ts";
import { awaits, stepClosed, stepRejected } from "../domain/step-end.ts";
import { done, rejected, scheduled } from "../domain/step-run.ts";
import { type Closing, completeAmong, completeJob, completeJoin } from "../domain/transitions.ts";
import { contractFor } from "../messaging/contract.ts";
import type { Versioned } from "../store/job-store.ts";
import type { Begun } from "./begin-step.ts";
import { concludeJob, scheduleCompensation } from "./conclude-job.ts";
import { type Context, instant, type Ports, schedulingOf } from "./ports.ts";
import { publishOrKeep } from "./publish.ts";

/** What an agent answered in time, and when it took the step up, where that is known; or why it was not asked. */
export type Answer =
  | (Extract<BoundedReply, { kind: "done" | "rejected" }> & { readonly startedAt?: string | undefined })
  | { readonly kind: "skipped"; readonly message: string };

/** What is recorded of a step whose agent was not asked. */
export function unasked({ kind, message }: Exclude<Begun, { kind: "begun" }>): Answer {
  return kind === "skipped"
    ? { kind, message }
    : { kind, message, endpoint: "none", because: "its agent was not asked" };
}

/** What came of a step, and the attempt that has to be notified of it by an event; null where it is notified of it otherwise, or need not. */
export interface StepEnd {
  readonly outcome: StepOutcome;
  readonly receiver: number | null;
}

/**
 * Order of writes: the record, then the status message, then (the caller's) the event for the attempt that holds the job. Run again
 * after a death in between, the record shows the step done, the message has the same id, and the event does no harm. An answer that
 * comes once the step was scheduled again changes nothing.
 */
export async function recordAnswer(task: StepTask, answer: Answer, context: Context): Promise<StepEnd> {
  const recorded = (await recordAtOnce(task, answer, context)) ?? (await recordAtVersion(task, answer, context));
  if (recorded) return endOf(task, recorded, context);
  // An earlier run of this task made the write, or the step is another run's.
  const end = await recordedEnd(task, context);
  if (end) return end;
  await rejectLate(task, "the step has been scheduled again, or is not waited for any more", context);
  return { outcome: { kind: "superseded" }, receiver: ownOf(task) };
}

/** The record with the step's end in it, and what that led to. */
interface Recorded extends Versioned {
  /** The job ended with it, or goes the other way from then on. */
  readonly isTurn: boolean;
  /** Steps can be begun that could not before. */
  readonly isNews: boolean;
}

/** A reply that nobody waits for any more (P8): counted, kept in the audit log, and nothing else. */
export async function rejectLate(
  task: { readonly jobId: string; readonly attempt: number; readonly step: string },
  reason: string,
  context: Context,
): Promise<void> {
  const { jobId, attempt, step } = task;
  context.telemetry.event("LateReplyRejected", { jobId, attempt, step, reason });
  try {
    await context.supervision.lateReply({ at: instant(context.now()), jobId, attempt, step, reason });
  } catch (cause) {
    // The audit log is for people: where it can't be written, the step's silence is worth more than the entry.
    context.telemetry.event("AuditLogUnwritten", { jobId, cause: String(cause) });
  }
}

/** The attempt that has begun the task, unless it waits for the activity itself. */
function ownOf({ isAwaited, attempt }: StepTask): number | null {
  return isAwaited ? null : attempt;
}

/** Without a look at the record, where what follows is known; undefined where it is not, or the record is not as it was. */
async function recordAtOnce(task: StepTask, answer: Answer, ports: Ports): Promise<Recorded | undefined> {
  const { jobId, join, direction } = task;
  // A rejection that changes the job's way is rare.
  if (!join || (answer.kind !== "done" && direction === "forward")) return undefined;
  const now = instant(ports.now());
  const ended = endedBy(task.record, task, answer, now);
  const { siblings, next } = join;
  if (siblings.length > 0) {
    const among = await ports.store.change(jobId, completeAmong(task, siblings, ended, now));
    if (among.kind === "written") return { ...among, isTurn: false, isNews: false };
  }
  if (next.length > 0) {
    const following = next.map((step) => scheduled(step, task.attempt, direction, now, schedulingOf(ports)));
    const joined = await ports.store.change(jobId, completeJoin(task, siblings, ended, following, now));
    return joined.kind === "written" ? { ...joined, isTurn: false, isNews: true } : undefined;
  }
  const compensated = direction === "compensate" ? await compensatedBy(task, ended, ports) : null;
  const ending = endingOf(ports.workflows.of(task.workflow), compensated, now);
  const closing = closedAtOnce(task, ports);
  const last = await ports.store.change(jobId, completeJob(task, siblings, ended, ending, now, closing));
  return last.kind === "written" ? { ...last, isTurn: true, isNews: true } : undefined;
}

/** Where an archive is to be written first, housekeeping closes the job: no job waits for that. */
function closedAtOnce({ workflow }: StepTask, { retention, rules }: Ports): Closing | null {
  if (!retention || retention.archive) return null;
  return { keepMs: retention.keepMs, secrets: contractFor(workflow.name, rules.contracts).secrets };
}

/** What a compensation's end says depends on every step and on the cause; that end is rare, so it is worth a read. */
async function compensatedBy({ jobId, step }: StepTask, ended: StepRecord, ports: Ports): Promise<Compensated> {
  const stored = await ports.store.state(jobId);
  return { steps: { ...stored?.record.steps, [step]: ended }, cause: stored?.record.error ?? null };
}

/** At the version that was read, as often as another write comes between: each of these is another's progress. */
async function recordAtVersion(task: StepTask, answer: Answer, ports: Ports): Promise<Recorded | undefined> {
  for (;;) {
    const read = await ports.store.state(task.jobId);
    if (!read || !awaits(read.record, task)) return undefined;
    const now = instant(ports.now());
    const { record } = read;
    const own = record.steps[task.step];
    if (!own) return undefined;
    const ended = endedBy(own, task, answer, now);
    const within = {
      workflow: ports.workflows.of(record.workflow),
      now,
      scheduling: schedulingOf(ports),
      claimWithinMs: ports.timing.claimWithinMs,
    };
    const isRejected = task.direction === "forward" && answer.kind === "rejected";
    const next = (isRejected ? stepRejected : stepClosed)(record, task, ended, within);
    const outcome = await ports.store.replace(read, next);
    if (outcome.kind !== "written") continue;
    const isTurn = isEnded(next) !== isEnded(record) || next.direction !== record.direction;
    return { ...outcome, isTurn, isNews: isTurn || toBegin(next).some((step) => !toBegin(record).includes(step)) };
  }
}

const isEnded = ({ processState }: StateRecord) => hasEnded(processState);

/** The steps that wait to be begun, or to be taken up. */
function toBegin({ steps, attempt }: StateRecord): readonly string[] {
  const inHand = runsInHand(steps).filter(({ run }) => run.state === "Scheduled" && run.attempt === attempt);
  return inHand.map(({ step, direction }) => `${direction} ${step}`);
}

function skippedOver(own: StepRecord, message: string, now: string): StepRecord {
  return skippedFor(own, { cause: "condition", message }, false, now);
}

function endedBy(own: StepRecord, { attempt, direction, record }: StepTask, answer: Answer, now: string): StepRecord {
  if (answer.kind === "skipped") return skippedOver({ ...own, decided: record.decided }, answer.message, now);
  if (answer.kind === "done") return done(own, attempt, direction, answer.result, answer, now);
  // A compensation that the service rejects for good is left to a person; the other steps are compensated all the same.
  return rejected(own, direction, answer.message, answer, now);
}

/**
 * What an earlier run of this task wrote: the step's run is still the task's. What it led to can't be distinguished from what others did since, so that all is
 * published again that it may have led to.
 */
export async function recordedEnd(task: StepTask, context: Context): Promise<StepEnd | undefined> {
  const read = await context.store.state(task.jobId);
  const own = read?.record.steps[task.step];
  const run = runOf(own, task.direction);
  const isOver = isClosed(own, task.direction) || run?.state === "Failed";
  if (!read || run?.attempt !== task.attempt || !isOver) return undefined;
  const { record } = read;
  const isRejected = task.direction === "forward" && run.state === "Failed";
  const wentOtherWay = record.processState === "Pending" && record.direction === "compensate";
  const isTurn =
    record.processState === "Processed" || (isRejected ? wentOtherWay || isEnded(record) : isCompensated(task, record));
  return endOf(task, { ...read, isTurn, isNews: isTurn || toBegin(record).length > 0 }, context);
}

function isCompensated({ direction }: StepTask, record: StateRecord): boolean {
  return direction === "compensate" && record.direction === "compensate" && isEnded(record);
}

/** What the record means for the scheduler; where it has ended, or goes the other way, that is published first. */
async function endOf(task: StepTask, recorded: Recorded, context: Context): Promise<StepEnd> {
  const { record, isTurn } = recorded;
  const { jobId, attempt, step, agent, direction } = task;
  const own = stepOf(record, step);
  const run = runOf(own, direction);
  const ms = run?.startedAt && run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.startedAt) : null;
  if (direction === "forward" && own.state === "Failed") {
    context.telemetry.event("StepRejected", { jobId, attempt, step, agent, ms, message: own.error });
    if (!isTurn) return progress(task, recorded);
    const isCompensationScheduled = record.processState === "Pending";
    await (isCompensationScheduled ? scheduleCompensation(recorded, context) : concludeJob(recorded, context));
    return {
      outcome: { kind: "rejected" },
      receiver: receiverOf(task, record.attempt - (isCompensationScheduled ? 1 : 0)),
    };
  }
  if (direction === "forward" && own.skipped) {
    const { cause, message } = own.skipped;
    context.telemetry.event("StepSkipped", { jobId, attempt, step, agent, cause, message });
    if (isTurn) await concludeJob(recorded, context);
    return progress(task, recorded);
  }
  if (direction === "compensate" && record.direction === "forward" && run?.state === "Failed") {
    context.telemetry.event("CompensationIncomplete", { jobId, attempt, step, agent, message: run.error });
  }
  context.telemetry.event(direction === "forward" ? "StepCompleted" : "StepCompensated", {
    jobId,
    attempt,
    step,
    agent,
    state: run?.state ?? null,
    endpoint: run?.endpoint ?? null,
    ms,
  });
  // Of a job that ended before, the requester has received all that it wants.
  const isPublished = direction === "forward" && (record.processState === "Processed" || !isEnded(record));
  const published = isPublished ? await publishOrKeep(recorded, "StepCompleted", step, context) : recorded;
  if (isTurn) await concludeJob(published, context);
  return progress(task, recorded);
}

/** Whoever holds the job is notified of it where there is something to begin, or nothing more to wait for. */
function progress(task: StepTask, { record, isNews }: Recorded): StepEnd {
  const { attempt, processState, steps } = record;
  const outcome: StepOutcome = { kind: "completed", steps, hasEnded: isEnded(record) };
  const hasReceiver = isNews || runsInHand(steps).length === 0;
  return { outcome, receiver: hasReceiver && processState !== "Pending" ? receiverOf(task, attempt) : null };
}

function receiverOf(task: StepTask, attempt: number): number | null {
  return attempt === task.attempt ? ownOf(task) : attempt;
}

function stepOf(record: StateRecord, name: string): StepRecord {
  const step = record.steps[name];
  if (!step) throw new Error(`the record of job ${record.jobId} has no step ${name}`);
  return step;
}
