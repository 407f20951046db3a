// What supervisors and operators did and why, as a port: the audit log that an audit reads.
import type { ProcessState } from "../domain/state-record.ts";

/** What a decision was made on, and what it led to. */
export interface Snapshot {
  readonly processState: ProcessState;
  readonly attempt: number;
  readonly failureCount: number;
  /** The running step; null where none runs. */
  readonly step: string | null;
}

export interface SweepEntry {
  readonly kind: "sweep";
  readonly sweepId: string;
  /** When it began; its day is the partition that its decisions stand in too. */
  readonly at: string;
  readonly endedAt: string;
  readonly leader: string;
  readonly epoch: number;
  readonly thresholds: { readonly [name: string]: number };
  readonly report: { readonly [name: string]: number | boolean | string };
}

/** An agent that was not done in time, and said nothing in time either. */
export interface AgentTimeout {
  readonly step: string;
  readonly agent: string | null;
  readonly attempt: number;
  /** Null with the other two where its agent could not say why: it died, or nobody reported what it waited for. */
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
  /** In words: why this verdict. */
  readonly rule: string;
  /** `none` where the record could not even be judged. */
  readonly verdict: string;
  readonly before: Snapshot;
  /** Null unless applied. */
  readonly after: Snapshot | null;
  /** `lost`: somebody else had written the record first. `broken`: it could not be dealt with, for this reason. */
  readonly outcome: "applied" | "lost" | "broken";
  readonly fault?: string;
  /** What it was decided on, where that is an agent's silence. */
  readonly stop?: AgentTimeout;
}

export interface OperatorAction {
  readonly kind: "operatorAction";
  readonly at: string;
  readonly operator: string;
  readonly action: string;
  /** Null where the action is on no one job. */
  readonly jobId: string | null;
  readonly reason: string | null;
  readonly outcome: string;
  readonly before: Snapshot | null;
  readonly after: Snapshot | null;
  /** The dead letter that the action is on. */
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
  /** In words: why it was rejected. */
  readonly reason: string;
}

export type SupervisionEntry = SweepEntry | DecisionEntry | OperatorAction | LateReply;

/** Entries are kept for a time and then go by themselves. Every method throws once its bounded retries are used up. */
export interface AuditLog {
  /** A sweep that is written again replaces what stood there. */
  sweep(entry: Omit<SweepEntry, "kind">): Promise<void>;
  decision(entry: Omit<DecisionEntry, "kind">): Promise<void>;
  operatorAction(entry: Omit<OperatorAction, "kind">): Promise<void>;
  lateReply(entry: Omit<LateReply, "kind">): Promise<void>;
  /** All of one day (`2026-01-31`, UTC), or what concerns one job of it, the oldest first. */
  entries(day: string, jobId?: string): AsyncIterable<SupervisionEntry>;
}

/** A sweep's decisions stand in the partition of its own day, also those made after midnight. */
export function dayOfSweep(sweepId: string): string {
  return sweepId.slice(0, "2026-01-31".length);
}

/** @param mark distinguishes two sweeps of one instant */
export function sweepIdOf(at: string, epoch: number, mark: string): string {
  return `${at}.${epoch}.${mark}`;
}
