// Documents of earlier versions, converted for the current app: one row for each version, which converts from the previous one.

import type { Job } from "../domain/content/job.ts";
import { NewerSchema } from "../domain/outage.ts";
import { RECORD_VERSION, type StateRecord } from "../domain/record/state-record.ts";

/** The schema version of a document with a job's content. */
export const JOB_VERSION = 1;

export type Document = { readonly [name: string]: unknown };

/**
 * Each row accepts a record that has some members of its own version already, because an interrupted rollout leaves such records. Unknown members
 * stay. The first row is the example that the tests follow: no released version wrote records of version 0.
 */
const UPGRADES: readonly ((record: Document) => Document)[] = [scheduleKnown];
if (UPGRADES.length !== RECORD_VERSION) throw new Error("each version of the state record needs its row");

/** Before the first version that a document contains. */
export function versionOf({ schemaVersion }: Document): number {
  return typeof schemaVersion === "number" ? schemaVersion : 0;
}

/** The record in the current version; the same object if it has that version. @throws NewerSchema */
export function recordOf(document: Document): StateRecord {
  const version = versionOf(document);
  if (version > RECORD_VERSION) {
    throw new NewerSchema(`The state record of ${document["jobId"]}`, version, RECORD_VERSION);
  }
  if (version === RECORD_VERSION) return document as unknown as StateRecord;
  const upgraded = UPGRADES.slice(version).reduce((record, upgrade) => upgrade(record), document);
  return { ...upgraded, schemaVersion: RECORD_VERSION } as unknown as StateRecord;
}

/** The same for a job's content; version 1 only added the version's number. @throws NewerSchema */
export function jobOf(document: Document & { readonly job: Job }): Job {
  const version = versionOf(document);
  if (version > JOB_VERSION) {
    throw new NewerSchema(`The content of ${document["jobId"]}`, version, JOB_VERSION);
  }
  return document.job;
}

/** To version 1: a run contains when it was scheduled, until when it may be taken up, and how often it expired before that. */
function scheduleKnown(record: Document): Document {
  const steps = Object.entries(record["steps"] as { [name: string]: Document }).map(([name, step]) => {
    const compensation = step["compensation"] as Document | null;
    return [name, { ...runKnown(step), compensation: compensation && runKnown(compensation) }];
  });
  return { ...record, steps: Object.fromEntries(steps) };
}

/** A step that had begun was taken up at the same moment, so it was never Scheduled. */
function runKnown(run: Document): Document {
  const { startedAt = null, completeBy = null } = run;
  return { scheduledAt: startedAt, startBy: completeBy, waitCount: 0, ...run };
}

/** Members of the document that are for the app alone. A job's secret could be found from its content's digest by trial. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["id", "ttl", "contentDigest"]);

/**
 * A state record as people and archives see it. Without the members that Cosmos DB adds to each document, and without the secrets of an agent's
 * request.
 */
export function shownRecord(record: StateRecord): StateRecord {
  const own = Object.entries(record).filter(([name]) => !NOT_SHOWN.has(name) && !name.startsWith("_"));
  return JSON.parse(JSON.stringify(Object.fromEntries(own), (name, value) => (name === "nonce" ? undefined : value)));
}
