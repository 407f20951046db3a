// The actions and decisions of supervisors and operators with their reasons, as a port: the audit log.
import { createHash } from "node:crypto";
import type { Snapshot } from "../domain/recovery/snapshot.ts";

export interface SweepEntry {
  readonly kind: "sweep";
  readonly sweepId: string;
  /** The start of the sweep; its day is the partition of its decisions too. */
  readonly at: string;
  readonly endedAt: string;
  readonly leader: string;
  readonly epoch: number;
  readonly thresholds: { readonly [name: string]: number };
  readonly report: { readonly [name: string]: number | boolean | string };
}

/** An agent that was not done in time, and reported nothing in time either. */
export interface AgentTimeout {
  readonly step: string;
  readonly agent: string | null;
  readonly attempt: number;
  /** Null with the other two if its agent could not report a reason: it crashed, or the expected report did not arrive. */
  readonly tries: number | null;
  readonly endpoint: string | null;
  readonly message: string | null;
}

export interface DecisionEntry {
  readonly kind: "decision";
  readonly sweepId: string;
  readonly jobId: string;
  readonly at: string;
  readonly epoch: number;
  /** The reason for this verdict, as text. */
  readonly rule: string;
  /** `none` if no verdict was possible for the record. */
  readonly verdict: string;
  readonly before: Snapshot;
  /** Null unless applied. */
  readonly after: Snapshot | null;
  /** `lost`: another writer had written the record first. `broken`: a fault prevented it, for this reason. */
  readonly outcome: "applied" | "lost" | "broken";
  readonly fault?: string;
  /** The reason for the decision, if an agent did not answer. */
  readonly stop?: AgentTimeout;
}

export interface ActionEntry {
  readonly kind: "operatorAction";
  readonly at: string;
  readonly operator: string;
  readonly action: string;
  /** Null if the action is not about one job. */
  readonly jobId: string | null;
  readonly reason: string | null;
  readonly outcome: string;
  readonly before: Snapshot | null;
  readonly after: Snapshot | null;
  /** The dead letter of the action. */
  readonly message?: {
    readonly queue: string;
    readonly sequenceNumber: string;
    readonly messageId: string | null;
    readonly subject: string | null;
  };
}

export interface LateReply {
  readonly kind: "lateReply";
  readonly at: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly step: string;
  /** The reason for the rejection, as text. */
  readonly reason: string;
}

export type SupervisionEntry = SweepEntry | DecisionEntry | ActionEntry | LateReply;

/** The most decisions in one write: an entry has a few KB, and a batch of Cosmos DB at most 2 MB and 100 operations. */
export const MOST_DECISIONS = 100;

/** Entries are kept for a time and then expire. Every method throws once its bounded retries are used up. */
export interface AuditLog {
  /** A sweep that is written again replaces its earlier entry. */
  sweep(entry: Omit<SweepEntry, "kind">): Promise<void>;
  /** Decisions of one sweep, at most `MOST_DECISIONS`: all or none. One that is written again replaces its earlier entry. */
  decisions(entries: readonly Omit<DecisionEntry, "kind">[]): Promise<void>;
  operatorAction(entry: Omit<ActionEntry, "kind">): Promise<void>;
  /** One that comes again, for the same reason, replaces its earlier entry: a service that repeats it fills nothing. */
  lateReply(entry: Omit<LateReply, "kind">): Promise<void>;
  /** All entries of one day (`2026-01-31`, UTC), or those of one job on it, the oldest first. */
  entries(day: string, jobId?: string): AsyncIterable<SupervisionEntry>;
}

/** The same for every late reply of one request that is rejected for one reason on one day. */
export function lateReplyId({ at, jobId, attempt, step, reason }: Omit<LateReply, "kind">): string {
  const about = JSON.stringify([jobId, attempt, step, reason]);
  return `late-${dayOfSweep(at)}-${createHash("sha256").update(about).digest("hex")}`;
}

/** A sweep's decisions are in the partition of its own day, also those made after midnight. */
export function dayOfSweep(sweepId: string): string {
  return sweepId.slice(0, "2026-01-31".length);
}

/** @param mark distinguishes two sweeps of the same instant */
export function sweepIdOf(at: string, epoch: number, mark: string): string {
  return `${at}.${epoch}.${mark}`;
}
