// A step's outcome (P8, P9, P13): recorded in one guarded write, fenced by the step's own run, which also schedules the next steps or ends the job;
// then published, and passed to the scheduler.

import { instant } from "../../domain/duration.ts";
import type { Closing } from "../../domain/record/guarded-write.ts";
import type { StateRecord } from "../../domain/record/state-record.ts";
import { ownReceiver, type StepEnd, type StepTask } from "../../domain/steps/attempt.ts";
import { type Answer, withAnswer } from "../../domain/steps/step-answer.ts";
import { afterStep, type Circumstances, foundEnd, ledTo } from "../../domain/steps/step-end.ts";
import { scheduled } from "../../domain/steps/step-run.ts";
import { endsOf } from "../../domain/steps/step-writes.ts";
import { contractFor } from "../../messaging/contract.ts";
import { type Context, type Ports, schedulingOf } from "../ports.ts";
import { writeAtVersion } from "../write-at-version.ts";
import type { Begun } from "./begin-step.ts";
import { publishStepEnd, type RecordedEnd } from "./publish-step-end.ts";
import { rejectLate } from "./reject-late.ts";

/**
 * Order of writes: the record, then the status message, then (by the caller) the event for the attempt that holds the job. If it runs again after
 * a crash in between, the record shows the step done, the message has the same id, and the event does no harm. An answer that arrives after the
 * step was scheduled again changes nothing.
 */
export async function recordAnswer(task: StepTask, answer: Answer, context: Context): Promise<StepEnd> {
  const recorded = (await writeStepEnd(task, answer, context)) ?? (await findStepEnd(task, context));
  if (recorded) return publishStepEnd(task, recorded, context);
  await rejectLate(task, "the step has been scheduled again, or is not waited for any more", context);
  return { outcome: { kind: "superseded" }, receiver: ownReceiver(task) };
}

/**
 * Publishes again the end that an earlier run of this task recorded; undefined if there is none.
 * @param isFinal as for `findStepEnd`
 */
export async function recordedEnd(task: StepTask, context: Context, isFinal = false): Promise<StepEnd | undefined> {
  const recorded = await findStepEnd(task, context, isFinal);
  return recorded && publishStepEnd(task, recorded, context);
}

/** Undefined if no attempt waits for the step any more: an earlier run of the task recorded its end, or it belongs to another run. */
async function writeStepEnd(task: StepTask, answer: Answer, ports: Ports): Promise<RecordedEnd | undefined> {
  return (await writeUnread(task, answer, ports)) ?? (await writeAfterRead(task, answer, ports));
}

/** Without a read of the record, if the next steps are known; undefined if they are not, or if the record has changed. */
async function writeUnread(task: StepTask, answer: Answer, ports: Ports): Promise<RecordedEnd | undefined> {
  const { jobId, join, direction, attempt, record } = task;
  // A rejection that changes the job's direction is rare.
  if (!join || (answer.kind !== "done" && direction === "forward")) return undefined;
  // The write that ends a job has no room for the removal of its deadline.
  if (join.next.length === 0 && ports.workflows.find(task.workflow)?.deadline) return undefined;
  const closing = closingFor(task, ports);
  const now = instant(ports.now());
  const ended = withAnswer(record, task, answer, now);
  const next = join.next.map((step) => scheduled(step, attempt, direction, now, schedulingOf(ports)));
  for (const { write, ...led } of endsOf(task, join.siblings, ended, next, now, closing)) {
    const outcome = await ports.store.change(jobId, write);
    if (outcome.kind === "written") return { ...outcome, ...led };
  }
  return undefined;
}

/** If an archive must be written first, or it may still be compensated with its parent, housekeeping closes the job: no job waits for that. */
function closingFor({ workflow, isChild }: StepTask, { retention, rules }: Ports): Closing | null {
  if (!retention || retention.archive || isChild) return null;
  return { keepMs: retention.keepMs, secrets: contractFor(workflow.name, rules.contracts).secrets };
}

async function writeAfterRead(task: StepTask, answer: Answer, ports: Ports): Promise<RecordedEnd | undefined> {
  const written = await writeAtVersion(task.jobId, ports, (record) =>
    afterStep(record, task, answer, circumstancesOf(record, ports)),
  );
  if (written.kind === "rejected") return undefined;
  const { record, etag, before } = written;
  return { record, etag, ...ledTo(before, record) };
}

export function circumstancesOf({ workflow }: StateRecord, ports: Ports): Circumstances {
  return {
    workflow: ports.workflows.of(workflow),
    now: instant(ports.now()),
    scheduling: schedulingOf(ports),
    claimWithinMs: ports.timing.claimWithinMs,
  };
}

/**
 * The end that an earlier run of this task wrote: the step's run still belongs to the task.
 * @param isFinal whether its caller gives up if there is none: then the record is read so that it can't be stale
 */
async function findStepEnd(task: StepTask, { store }: Ports, isFinal = false): Promise<RecordedEnd | undefined> {
  const read = await (isFinal ? store.latest(task.jobId) : store.state(task.jobId));
  const mayHaveLedTo = read && foundEnd(read.record, task);
  return mayHaveLedTo && { ...read, ...mayHaveLedTo, isRepeat: true };
}

/** The recorded answer of a step whose agent was not called. */
export function unasked({ kind, message }: Exclude<Begun, { kind: "begun" | "superseded" }>): Answer {
  return kind === "skipped"
    ? { kind, message }
    : { kind, message, endpoint: "none", because: "its agent was not asked" };
}
