// Documents of earlier versions, converted for the current app: one row for each version, which converts from the previous one.

import type { Job } from "../domain/job.ts";
import { NewerSchema } from "../domain/newer-schema.ts";
import { type ProcessState, RECORD_VERSION, type StateRecord } from "../domain/state-record.ts";

/** The schema version of a document with a job's content. */
export const JOB_VERSION = 1;

export type Document = { readonly [name: string]: unknown };

/**
 * Each row accepts a record that has some members of its own version already, because an interrupted rollout leaves such records. Unknown members
 * stay.
 */
const UPGRADES: readonly ((record: Document) => Document)[] = [scheduleKnown, attemptKnown, renamed];
if (UPGRADES.length !== RECORD_VERSION) throw new Error("each version of the state record needs its row");

/** Before the first version that a document contains. */
export function versionOf({ schemaVersion }: Document): number {
  return typeof schemaVersion === "number" ? schemaVersion : 0;
}

/** The record in the current version; the same object if it has that version. @throws NewerSchema */
export function recordOf(document: Document): StateRecord {
  const version = versionOf(document);
  if (version > RECORD_VERSION) {
    throw new NewerSchema(`The state record of job ${document["jobId"]}`, version, RECORD_VERSION);
  }
  if (version === RECORD_VERSION) return document as unknown as StateRecord;
  const upgraded = UPGRADES.slice(version).reduce((record, upgrade) => upgrade(record), document);
  return { ...upgraded, schemaVersion: RECORD_VERSION } as unknown as StateRecord;
}

/** The same for a job's content; version 1 only added the version's number. @throws NewerSchema */
export function jobOf(document: Document & { readonly job: Job }): Job {
  const version = versionOf(document);
  if (version > JOB_VERSION) {
    throw new NewerSchema(`The content of job ${document["jobId"]}`, version, JOB_VERSION);
  }
  return document.job;
}

/** To version 1: a run contains when it was scheduled, until when it may be taken up, and how often it expired before that. */
function scheduleKnown(record: Document): Document {
  const steps = Object.entries(record["steps"] as { [name: string]: Document }).map(([name, step]) => {
    const undo = step["undo"] as Document | null;
    return [name, { ...runKnown(step), undo: undo && runKnown(undo) }];
  });
  return { ...record, steps: Object.fromEntries(steps) };
}

/** A step that had begun was taken up at the same moment, so it was never Scheduled. */
function runKnown(run: Document): Document {
  const { startedAt = null, completeBy = null } = run;
  return { scheduledAt: startedAt, startBy: completeBy, waitCount: 0, ...run };
}

/** To version 2: a run contains the attempt that scheduled it. Before that, no run continued in another attempt. */
function attemptKnown(record: Document): Document {
  const known = (run: Document): Document => (run["scheduledAt"] ? { attempt: record["attempt"], ...run } : run);
  const steps = Object.entries(record["steps"] as { [name: string]: Document }).map(([name, step]) => {
    const undo = step["undo"] as Document | null;
    return [name, { ...known(step), undo: undo && known(undo) }];
  });
  return { ...record, steps: Object.fromEntries(steps) };
}

const DIRECTIONS: Names = { undo: "compensate" };
const STATES: Names = { Undone: "Compensated" };
const ERRORS: Names = {
  undone: "compensationRequested",
  notUndone: "compensationIncomplete",
  undoAsked: "compensationRequested",
  settled: "resolved",
};
type Names = { readonly [old: string]: string };

const nowCalled = (names: Names, old: unknown) => (typeof old === "string" ? (names[old] ?? old) : old);

/** To version 3: the words of the field. */
function renamed({ notices = [], told, error, direction, steps, ...record }: Document): Document {
  const { kind, ...fault } = (error ?? {}) as Document;
  const outboxOf = (messages: unknown) =>
    (messages as Document[]).map(({ status, ...message }) => ({ status: nowCalled(STATES, status), ...message }));
  return {
    ...record,
    direction: nowCalled(DIRECTIONS, direction),
    processState: record["processState"] === "Error" ? endOf(kind) : record["processState"],
    error: error ? { kind: nowCalled(ERRORS, kind), ...fault } : error,
    outbox: outboxOf(notices),
    ...(told !== undefined && { published: outboxOf(told) }),
    steps: Object.fromEntries(
      Object.entries(steps as { [name: string]: Document }).map(([name, step]) => [name, stepRenamed(step)]),
    ),
  };
}

/** A job that was undone or cancelled ended in Error. */
function endOf(kind: unknown): ProcessState {
  return kind === "undone" ? "Compensated" : kind === "cancelled" ? "Cancelled" : "Error";
}

function stepRenamed({ undo, unsure, ...step }: Document): Document {
  const run = runRenamed(step);
  return {
    ...run,
    state: nowCalled(STATES, run["state"]),
    compensation: undo ? runRenamed({ ...(undo as Document), keyWord: "undo" }) : undo,
    ...(unsure !== undefined && { outcomeUnknown: unsure }),
  };
}

function runRenamed({ accepted, ...run }: Document): Document {
  if (!accepted) return run;
  const { heardAt, ...known } = accepted as Document;
  return { ...run, accepted: heardAt === undefined ? known : { ...known, lastReportAt: heardAt } };
}
