// A write to a record that is made only if its guard holds for the stored record (P4).
import type { Direction, ProcessState, StepState } from "./state-record.ts";

/** A write is made only if all of this holds for the stored record. */
export interface Guard {
  /** One of these. */
  readonly processStates: readonly ProcessState[];
  /** Any if absent. */
  readonly lockedBy?: string | null;
  /** Any if absent: a step's run may outlive its attempt. */
  readonly attempt?: number;
  /** A step whose run in that direction must belong to that attempt, and be in one of these states. */
  readonly step?: {
    readonly name: string;
    readonly direction: Direction;
    readonly attempt: number;
    readonly states: readonly StepState[];
  };
  /** Whether all of these steps must be done in that direction, or at least one must not be. */
  readonly siblings?: { readonly names: readonly string[]; readonly direction: Direction; readonly allDone: boolean };
  /** The record must be due by then: an operator may have extended its time. */
  readonly dueBy?: string;
}

export type Change =
  | { readonly op: "set"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "append"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "remove"; readonly path: readonly string[] };

export interface GuardedWrite {
  readonly guard: Guard;
  readonly changes: readonly Change[];
  /** The change of all documents of the job in the same write. */
  readonly lifetime?: Lifetime;
}

/** The most operations of one patch: "Partial document update in Azure Cosmos DB", limitations. A lifetime is one of them. */
export const MOST_CHANGES = 10;

/** The most operations of one batch: "Transactional batch operations in Azure Cosmos DB", limitations. */
const MOST_OPERATIONS = 100;
/** The most revisions of a job's content: the batch that removes them names the record twice, and each of them. */
export const MOST_REVISIONS = MOST_OPERATIONS - 2;
/** The most secrets of a content: the patch that removes them also sets its time to live. */
export const MOST_SECRETS = MOST_CHANGES - 1;

/** Whether a store can make all changes of the write at once. */
export function isOneWrite({ changes, lifetime }: GuardedWrite): boolean {
  return changes.length + (lifetime ? 1 : 0) <= MOST_CHANGES;
}

/** How long a job's documents stay after the write, the same for all of them. */
export interface Lifetime {
  /** The revisions of the job's content, each of which is a document. */
  readonly revisions: number;
  /** Null: permanently. Otherwise the job is closed, and its secrets are removed. */
  readonly keepMs: number | null;
  /** Members of the content that are removed with the closing. None if the job stays. */
  readonly secrets: readonly string[];
}

/** The closing of a job that is over at once. */
export type Closing = Pick<Lifetime, "secrets"> & { readonly keepMs: number };
