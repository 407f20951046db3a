// A step's outcome (P8, P9, P13): recorded in one guarded write, fenced by the step's own run, which also schedules the next steps or ends the job;
// then published, and passed to the scheduler.

import { instant } from "../../domain/duration.ts";
import type { Closing } from "../../domain/record/guarded-write.ts";
import { completionOf, completionsOf } from "../../domain/record/outbox.ts";
import { runOf, runsInHand } from "../../domain/record/plan.ts";
import { hasEnded, type StateRecord, type StepRecord } from "../../domain/record/state-record.ts";
import { ownReceiver, type StepEnd, type StepTask } from "../../domain/steps/attempt.ts";
import { newsOfEnd } from "../../domain/steps/news.ts";
import type { Answer } from "../../domain/steps/step-answer.ts";
import { afterStep, foundEnd, type LedTo, ledTo } from "../../domain/steps/step-end.ts";
import { endsUnread } from "../../domain/steps/unread.ts";
import { leftToPerson } from "../../domain/steps/unsettled.ts";
import { contractFor } from "../../messaging/contract.ts";
import type { Versioned } from "../../store/job-store.ts";
import { change } from "../change.ts";
import { circumstancesOf, type Recording, schedulingOf, type Telemetry } from "../ports.ts";
import { concludeJob, publishOrKeep, startNextAttempt } from "../publishing/publish.ts";
import { rejectLate } from "../write-audit-log.ts";

/** The record with the step's end in it, and the consequences of that end. */
interface RecordedEnd extends Versioned, LedTo {
  /** An earlier run of the task recorded it, and may have crashed before it published that. */
  readonly isRepeat?: true;
}

/**
 * Order of writes: the record, then the status message, then (by the caller) the event for the attempt that holds the job. If it runs again after
 * a crash in between, the record shows the step done, the message has the same id, and the event does no harm. An answer that arrives after the
 * step was scheduled again changes nothing.
 */
export async function recordAnswer(task: StepTask, answer: Answer, context: Recording): Promise<StepEnd> {
  const recorded = (await writeStepEnd(task, answer, context)) ?? (await findStepEnd(task, context));
  if (recorded) return publishStepEnd(task, recorded, context);
  await rejectLate(task, "the step has been scheduled again, or is not waited for any more", context);
  return { outcome: { kind: "superseded" }, receiver: ownReceiver(task) };
}

/**
 * Publishes again the end that an earlier run of this task recorded; undefined if there is none.
 * @param isFinal as for `findStepEnd`
 */
export async function recordedEnd(task: StepTask, context: Recording, isFinal = false): Promise<StepEnd | undefined> {
  const recorded = await findStepEnd(task, context, isFinal);
  return recorded && publishStepEnd(task, recorded, context);
}

/**
 * Without a read of the record, if what follows is known. Undefined if no attempt waits for the step any more: an earlier run of the task recorded its
 * end, or it belongs to another run.
 */
async function writeStepEnd(task: StepTask, answer: Answer, ports: Recording): Promise<RecordedEnd | undefined> {
  const decide = (record: StateRecord) => afterStep(record, task, answer, circumstancesOf(record, ports));
  const around = {
    now: instant(ports.now()),
    scheduling: schedulingOf(ports),
    closing: closingFor(task, ports),
    hasDeadline: ports.workflows.find(task.workflow)?.deadline !== undefined,
  };
  const written = await change(task.jobId, decide, ports, endsUnread(task, answer, around));
  if (written.kind !== "written") return undefined;
  const { jobId, attempt } = task;
  for (const left of leftToPerson(written.before, written.after)) {
    // Its own compensation is reported with its end.
    const isOwn = left.step === task.step && task.direction === "compensate";
    if (!isOwn) ports.telemetry.event("CompensationIncomplete", { jobId, attempt, ...left });
  }
  return { ...written, ...ledTo(written.before, written.after) };
}

/** If an archive must be written first, housekeeping closes the job: no job waits for that. */
function closingFor({ workflow }: StepTask, { retention, rules }: Recording): Closing | null {
  if (!retention || retention.archive) return null;
  return { keepMs: retention.keepMs, secrets: contractFor(workflow.name, rules.contracts).secrets };
}

/**
 * The end that an earlier run of this task wrote: the step's run still belongs to the task.
 * @param isFinal whether its caller gives up if there is none: then the record is read so that it can't be stale
 */
async function findStepEnd(task: StepTask, { store }: Recording, isFinal = false): Promise<RecordedEnd | undefined> {
  const read = await (isFinal ? store.latest(task.jobId) : store.state(task.jobId));
  const mayHaveLedTo = read && foundEnd(read.record, task);
  return mayHaveLedTo && { ...read, ...mayHaveLedTo, isRepeat: true };
}

/** If the job has ended, or changed its direction, that is published too before any event is sent. */
async function publishStepEnd(task: StepTask, recorded: RecordedEnd, context: Recording): Promise<StepEnd> {
  const { record, isTurn, isRepeat } = recorded;
  const own = stepOf(record, task.step);
  const end = stepEndOf(task, recorded, own);
  const isPublished = isToPublish(task, record, own);
  // An earlier run of this task may also have recorded the steps after it, and may have crashed before it published them.
  const completed = isRepeat ? completionsOf(record) : isPublished ? [completionOf(record, task.step)] : [];
  reportEnd(task, own, context.telemetry);
  if (isTurn && record.processState === "Pending") await startNextAttempt(recorded, context);
  else if (isTurn) await concludeJob(recorded, context, completed);
  else if (isPublished) await publishOrKeep(recorded, completed, context);
  return end;
}

/** If the job ended before, its requester has received all the statuses that it wants. */
function isToPublish({ direction }: StepTask, { processState }: StateRecord, own: StepRecord): boolean {
  const isDone = direction === "forward" && own.state !== "Failed" && !own.skipped;
  return isDone && (processState === "Processed" || !hasEnded(processState));
}

/** The attempt that holds the job is notified if there is a step to begin, or no step left to wait for. */
function stepEndOf(task: StepTask, { record, isTurn, isNews }: RecordedEnd, own: StepRecord): StepEnd {
  const { attempt, processState, steps } = record;
  const isPending = processState === "Pending";
  // The job goes forward again in the next attempt: the attempt that compensated it has to end.
  if (isTurn && isPending && record.direction === "forward")
    return { outcome: { kind: "superseded", by: attempt }, receiver: receiverOf(task, attempt - 1) };
  if (isTurn && task.direction === "forward" && own.state === "Failed") {
    // A compensation belongs to the next attempt: the attempt before it has to end.
    return { outcome: { kind: "rejected" }, receiver: receiverOf(task, isPending ? attempt - 1 : attempt) };
  }
  const hasReceiver = !isPending && (isNews || runsInHand(steps).length === 0);
  const receiver = hasReceiver ? receiverOf(task, attempt) : null;
  const isOver = hasEnded(processState);
  if (receiver !== null) return { outcome: newsOfEnd(steps, task, isOver), receiver };
  return { outcome: { kind: "completed", steps, hasEnded: isOver }, receiver };
}

function receiverOf(task: StepTask, attempt: number): number | null {
  return attempt === task.attempt ? ownReceiver(task) : attempt;
}

function reportEnd(task: StepTask, own: StepRecord, telemetry: Telemetry): void {
  const { jobId, attempt, step, agent, direction } = task;
  const about = { jobId, attempt, step, agent };
  const run = runOf(own, direction);
  const ms = run?.startedAt && run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.startedAt) : null;
  if (direction === "forward" && own.state === "Failed") {
    telemetry.event("StepRejected", { ...about, ms, message: own.error });
    return;
  }
  if (direction === "forward" && own.skipped) {
    const { cause, message } = own.skipped;
    telemetry.event("StepSkipped", { ...about, cause, message });
    return;
  }
  if (direction === "compensate" && run?.state === "Failed")
    telemetry.event("CompensationIncomplete", { ...about, message: run.error });
  const event = direction === "forward" ? "StepCompleted" : "StepCompensated";
  telemetry.event(event, { ...about, state: run?.state ?? null, endpoint: run?.endpoint ?? null, ms });
}

function stepOf(record: StateRecord, name: string): StepRecord {
  const step = record.steps[name];
  if (!step) throw new Error(`the record of job ${record.jobId} has no step ${name}`);
  return step;
}
