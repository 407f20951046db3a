// Publishes a recorded end of a step (P13, P15): telemetry, the status messages, and the event for the attempt that holds the job.

import { completionOf, completionsOf } from "../../domain/record/outbox.ts";
import { runOf, runsInHand } from "../../domain/record/plan.ts";
import { hasEnded, type StateRecord, type StepRecord } from "../../domain/record/state-record.ts";
import { ownReceiver, type StepEnd, type StepTask } from "../../domain/steps/attempt.ts";
import { newsOfEnd } from "../../domain/steps/news.ts";
import type { LedTo } from "../../domain/steps/step-writes.ts";
import type { Versioned } from "../../store/job-store.ts";
import type { Context, Telemetry } from "../ports.ts";
import { concludeJob, publishOrKeep, startNextAttempt } from "../publishing/publish.ts";

/** The record with the step's end in it, and the consequences of that end. */
export interface RecordedEnd extends Versioned, LedTo {
  /** An earlier run of the task recorded it, and may have crashed before it published that. */
  readonly isRepeat?: true;
}

/** If the job has ended, or changed its direction, that is published too before any event is sent. */
export async function publishStepEnd(task: StepTask, recorded: RecordedEnd, context: Context): Promise<StepEnd> {
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
    return { outcome: { kind: "superseded" }, receiver: receiverOf(task, attempt - 1) };
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
