// The state store's port: the app's requests to it, in the domain's words.

import type { Job } from "../domain/content/job.ts";
import { Outage } from "../domain/outage.ts";
import type { GuardedWrite, Lifetime } from "../domain/record/guarded-write.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { messageOf } from "../domain/thrown.ts";

/** A record and the version that it was read at. */
export interface Versioned {
  readonly record: StateRecord;
  readonly etag: string;
}

export type Created =
  | { readonly kind: "created" }
  /** The job id exists already: this is the stored record. */
  | { readonly kind: "duplicate"; readonly job: Job; readonly record: StateRecord };

export type Written = ({ readonly kind: "written" } & Versioned) | { readonly kind: "rejected" };

/** The part of a job in flight that shows which agent it waits for. */
export type InFlight = Pick<StateRecord, "workflow" | "priority" | "direction" | "attempt" | "steps">;

/** The jobs in flight: those that an attempt holds, due in this time. Instants. */
export interface Span {
  /** Jobs that are overdue since before this are not counted, because no agent works on them. */
  readonly from: string;
  /** Jobs that are due from this on are not counted if they wait, or waited, for a report; others if they are due later than a step may start. */
  readonly to: string;
}

/** Every method throws `StoreUnavailable` once its bounded retries are used up, and each write `NotStorable` if it can never be made. */
export interface JobStore {
  /** Writes job and state record in ONE atomic operation: both or neither (P1). */
  create(job: Job, record: StateRecord): Promise<Created>;
  /** A revision of a job does not change before the job is closed, so a copy may be kept. Throws if there is none. */
  job(jobId: string, revision: number): Promise<Job>;
  /**
   * May be older than what another process has written; never older than what this process has written, tried to write, or read. So it may lead
   * to a write at its version, or to another try; a final answer ("late", "unknown", "taken") needs `latest`.
   */
  state(jobId: string): Promise<Versioned | undefined>;
  /** As it stands now, whoever wrote it: it costs a write that is never made, and a read. What `state` reads afterwards is not older. */
  latest(jobId: string): Promise<Versioned | undefined>;
  /** Makes the changes atomically, if the stored record satisfies the guard. */
  change(jobId: string, write: GuardedWrite): Promise<Written>;
  /** Replaces a record if it is still at the version that was read (P12). */
  replace(read: Versioned, record: StateRecord): Promise<Written>;
  /**
   * Stores the next revision of a job's content and replaces the record, in ONE atomic operation: both or neither. Documents of
   * a job that was closed stay then.
   */
  revise(read: Versioned, record: StateRecord, job: Job): Promise<Written>;
  countInFlight(span: Span): Promise<number>;
  /** The same by fairness key; under an empty text those without one. */
  countByKey(span: Span): Promise<ReadonlyMap<string, number>>;
  /** The jobs in flight, the first due first. */
  inFlight(span: Span, limit: number): Promise<readonly InFlight[]>;
  /** Records whose `dueAt` is before `instant`, the longest overdue first; without those at which a sweep is to look again only later. */
  due(instant: string): AsyncIterable<Versioned>;
  /** The same by `deadlineAt`, of jobs that are not closed: the longest past first. */
  pastDeadline(instant: string): AsyncIterable<Versioned>;
  /** Records of Processed jobs whose last change was in this time: `from` and `to` are included, by the store's clock, in whole seconds. */
  processed(from: string, to: string): AsyncIterable<Versioned>;
}

/** The member, and the index, of the jobs that are over in each state. */
export const OVER = { Processed: "overAt", Error: "overInErrorAt" } as const;

/** The state store's port for retention (P29). Errors as in `JobStore`. */
export interface ClosingStore {
  /** Records in that state that have been over since before `instant` and are not closed; the oldest first. */
  over(state: keyof typeof OVER, instant: string): AsyncIterable<Versioned>;
  /**
   * Replaces the record if it is still at the version that was read, removes the content's secrets, and gives all documents of the
   * job one time to live, in ONE atomic operation.
   */
  close(read: Versioned, record: StateRecord, lifetime: Lifetime): Promise<Written>;
  /** Removes all documents of the job if its record is still at the version that was read, in ONE atomic operation. */
  erase(read: Versioned): Promise<"erased" | "rejected">;
}

/**
 * The store will never make this write: it is no outage. A message that leads to it is kept with the reason, and not tried again. By its limits the
 * app makes no such write itself: see record-limits.ts.
 */
export class NotStorable extends Error {
  override readonly name = "NotStorable";
  constructor(operation: string, cause: unknown) {
    super(`The state store will never ${operation}: ${reasonOf(cause)}`, { cause });
  }
}

export class StoreUnavailable extends Outage {
  override readonly name = "StoreUnavailable";
  constructor(operation: string, cause: unknown) {
    super(`The state store did not ${operation}: ${messageOf(cause)}`, { cause });
  }
}

/** An answer of the store may contain the whole request. */
const REASON_LIMIT = 500;

export function reasonOf(cause: unknown): string {
  return messageOf(cause).slice(0, REASON_LIMIT);
}

/**
 * Which version of a record a caller wants to change, as entity tags (RFC 9110, 8.8.3 and 13.1.1). What `If-Match` allows: any version, or one of
 * these.
 */
export type WantedVersion = "any" | readonly string[];

/** Cosmos DB's own ETags are quoted already; others are not. */
export function entityTag(etag: string): string {
  return etag.startsWith('"') ? etag : JSON.stringify(etag);
}

/** A weak ETag (`W/"…"`) never matches: it does not guarantee that nothing has changed. */
export function isWantedVersion(etag: string, wanted: WantedVersion): boolean {
  return wanted === "any" || wanted.includes(entityTag(etag));
}
