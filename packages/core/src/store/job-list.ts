// Listing jobs: the filter, and what a page shows of each.
import {
  type JobError,
  type ProcessState,
  RECORD_VERSION,
  type StateRecord,
  type StepState,
} from "../domain/state-record.ts";
import type { Scanned } from "./job-scan.ts";
import { recordOf } from "./record-versions.ts";

export interface JobFilter {
  readonly processState?: ProcessState | undefined;
  /** Why it is in Error. */
  readonly kind?: JobError["kind"] | undefined;
  /** The name of a workflow. */
  readonly workflow?: string | undefined;
  /** Of the workflow. */
  readonly version?: number | undefined;
  /** The jobs that stand at this step: it is running, forward or back, or it failed. */
  readonly step?: string | undefined;
  /** Part of a job id or of a correlation id, in any case. */
  readonly text?: string | undefined;
  readonly time?: TimeFilter | undefined;
  readonly key?: { readonly name: string; readonly value: string } | undefined;
}

/**
 * `received`: recorded. `sent`: taken by the broker. `changed`: the record's last change. `ended`: Processed, or in Error; of a job that is
 * closed, when it was closed.
 */
export interface TimeFilter {
  readonly of: "received" | "sent" | "changed" | "ended";
  /** Instants: from the first, and before the second. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Where a page ended: the next one begins after it. */
export interface ListPosition {
  readonly createdAt: string;
  /** The jobs of that very instant that were shown. */
  readonly shown: readonly string[];
}

export interface JobQuery extends JobFilter {
  readonly limit: number;
  readonly after?: ListPosition | undefined;
}

export interface JobSummary
  extends Pick<
    StateRecord,
    | "jobId"
    | "workflow"
    | "processState"
    | "lockedBy"
    | "completeBy"
    | "failureCount"
    | "attempt"
    | "direction"
    | "jobRevision"
    | "priority"
    | "createdAt"
    | "updatedAt"
  > {
  /** Of the record; 0 for one that names none. */
  readonly schemaVersion: number;
  readonly error: JobError | null;
  /** Empty where a newer version of the app wrote them. */
  readonly steps: { readonly [name: string]: StepState };
}

/** The newest jobs first. `next` is absent on the last page. */
export interface JobPage {
  readonly jobs: readonly JobSummary[];
  readonly next?: ListPosition;
  /** Where no index finds what is wanted: through how many jobs this page has looked, and down to which instant. */
  readonly looked?: { readonly jobs: number; readonly downTo: string };
}

/** What a summary is made of. */
export type Listed = Omit<JobSummary, "steps" | "schemaVersion"> &
  Pick<StateRecord, "steps"> & { readonly schemaVersion?: number };

const MEMBERS = [
  "schemaVersion",
  "jobId",
  "workflow",
  "processState",
  "lockedBy",
  "completeBy",
  "failureCount",
  "attempt",
  "direction",
  "jobRevision",
  "priority",
  "createdAt",
  "updatedAt",
  "error",
  "steps",
] as const satisfies readonly (keyof Listed)[];

export const listedMembers = (): string => MEMBERS.map((member) => `c.${member}`).join(", ");

/** @param found in their order; one more than a page holds says that there is a next page. */
export function pageOf(found: readonly Listed[], { limit, after }: JobQuery): JobPage {
  const jobs = found.slice(0, limit).map(summaryOf);
  const last = jobs.at(-1);
  if (!last || found.length <= limit) return { jobs };
  const { createdAt } = last;
  const before = after?.createdAt === createdAt ? after.shown : [];
  const here = jobs.flatMap((job) => (job.createdAt === createdAt ? [job.jobId] : []));
  return { jobs, next: { createdAt, shown: [...before, ...here] } };
}

/** Of a search that looked through a part of what is stored. */
export function scannedPage({ found, looked, goOnAt }: Scanned<Listed>, query: JobQuery): JobPage {
  const page = pageOf(found, query);
  if (page.next) return { ...page, looked: { jobs: looked, downTo: page.next.createdAt } };
  if (goOnAt === null) return page;
  const downTo = new Date(goOnAt).toISOString();
  return { ...page, next: { createdAt: downTo, shown: [] }, looked: { jobs: looked, downTo } };
}

/** What a query would answer of a record. */
export function listedOf(record: StateRecord): Listed {
  return Object.fromEntries(MEMBERS.map((member) => [member, record[member]])) as unknown as Listed;
}

export function summaryOf(found: Listed): JobSummary {
  const { schemaVersion = 0 } = found;
  const { schemaVersion: _today, steps, ...listed } = schemaVersion < RECORD_VERSION ? recordOf({ ...found }) : found;
  const known = schemaVersion > RECORD_VERSION ? {} : steps;
  const states = Object.entries(known).map(([name, { state }]): [string, StepState] => [name, state]);
  return { ...listed, schemaVersion, steps: Object.fromEntries(states) };
}
