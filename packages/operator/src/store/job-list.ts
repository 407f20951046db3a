// Lists of jobs: the filter, and the members of each job on a page.
import {
  type JobError,
  type ProcessState,
  RECORD_VERSION,
  type StateRecord,
  type StepState,
} from "@scheduler-agent-supervisor/core/domain";
import { recordOf } from "@scheduler-agent-supervisor/core/store";
import type { Scanned } from "./job-scan.ts";
import type { WaitsFor } from "./waits-for.ts";

export interface JobFilter {
  readonly processState?: ProcessState | undefined;
  /** Why it is in Error. */
  readonly kind?: JobError["kind"] | undefined;
  /** The name of a workflow. */
  readonly workflow?: string | undefined;
  /** The version of the workflow. */
  readonly version?: number | undefined;
  /** The jobs at this step: it runs, waits for its next try, or is compensated, or it failed. */
  readonly step?: string | undefined;
  /** A part of a job id or of a correlation id, in upper or lower case. */
  readonly text?: string | undefined;
  readonly time?: TimeFilter | undefined;
  readonly key?: { readonly name: string; readonly value: string } | undefined;
  /** Only jobs that have not ended. */
  readonly waitsFor?: WaitsFor | undefined;
}

/**
 * `received`: recorded. `sent`: accepted by the broker. `changed`: the record's last change. `ended`: Processed, or in Error; for a closed job,
 * when it was closed.
 */
export interface TimeFilter {
  readonly of: "received" | "sent" | "changed" | "ended";
  /** Instants: from the first (included) to the second (excluded). */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The end of a page: the next one begins after it. */
export interface JobPosition {
  readonly createdAt: string;
  /** The jobs of that same instant that were shown. */
  readonly shown: readonly string[];
}

export interface JobQuery extends JobFilter {
  readonly limit: number;
  readonly after?: JobPosition | undefined;
}

export interface ListedJob
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
  /** The record's schema version; 0 for a record without one. */
  readonly schemaVersion: number;
  readonly error: JobError | null;
  /** Empty if a newer version of the app wrote them. */
  readonly steps: { readonly [name: string]: StepState };
}

/** The newest jobs first. `next` is absent on the last page. */
export interface ListedJobs {
  readonly jobs: readonly ListedJob[];
  readonly next?: JobPosition;
  /** Without an index for the filter: how many jobs this page has searched, and down to which instant. */
  readonly looked?: { readonly jobs: number; readonly downTo: string };
}

/** The members of a record that a summary needs. */
export type Listed = Omit<ListedJob, "steps" | "schemaVersion"> &
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

/** @param found in their order; one more than a page contains means that there is a next page. */
export function listedJobsOf(found: readonly Listed[], { limit, after }: JobQuery): ListedJobs {
  const jobs = found.slice(0, limit).map(summaryOf);
  const last = jobs.at(-1);
  if (!last || found.length <= limit) return { jobs };
  const { createdAt } = last;
  const before = after?.createdAt === createdAt ? after.shown : [];
  const here = jobs.flatMap((job) => (job.createdAt === createdAt ? [job.jobId] : []));
  return { jobs, next: { createdAt, shown: [...before, ...here] } };
}

/** The page of a search that read a part of the stored jobs. */
export function scannedPage({ found, looked, goOnAt }: Scanned<Listed>, query: JobQuery): ListedJobs {
  const page = listedJobsOf(found, query);
  if (page.next) return { ...page, looked: { jobs: looked, downTo: page.next.createdAt } };
  if (goOnAt === null) return page;
  const downTo = new Date(goOnAt).toISOString();
  return { ...page, next: { createdAt: downTo, shown: [] }, looked: { jobs: looked, downTo } };
}

/** A query's result for a record. */
export function listedOf(record: StateRecord): Listed {
  return Object.fromEntries(MEMBERS.map((member) => [member, record[member]])) as unknown as Listed;
}

export function summaryOf(found: Listed): ListedJob {
  const { schemaVersion = 0 } = found;
  const { schemaVersion: _today, steps, ...listed } = schemaVersion < RECORD_VERSION ? recordOf({ ...found }) : found;
  const known = schemaVersion > RECORD_VERSION ? {} : steps;
  const states = Object.entries(known).map(([name, { state }]): [string, StepState] => [name, state]);
  return { ...listed, schemaVersion, steps: Object.fromEntries(states) };
}
