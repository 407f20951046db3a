// A write to a record that is made only if its guard holds of what is stored (P4).
import type { Direction, ProcessState, StepState } from "./state-record.ts";

/** A write is taken only if all of this holds of the stored record. */
export interface Guard {
  /** One of these. */
  readonly processStates: readonly ProcessState[];
  /** Any if absent. */
  readonly lockedBy?: string | null;
  /** Any if absent: a step's run may outlive its attempt. */
  readonly attempt?: number;
  /** A step whose run in that direction has to be that attempt's, and in one of these states. */
  readonly step?: {
    readonly name: string;
    readonly direction: Direction;
    readonly attempt: number;
    readonly states: readonly StepState[];
  };
  /** Whether all of these steps have to be done in that direction, or not all of them. */
  readonly siblings?: { readonly names: readonly string[]; readonly direction: Direction; readonly allDone: boolean };
  /** The record has to be due by then: an operator may have given it more time. */
  readonly dueBy?: string;
}

export type Change =
  | { readonly op: "set"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "append"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "remove"; readonly path: readonly string[] };

export interface GuardedWrite {
  readonly guard: Guard;
  readonly changes: readonly Change[];
  /** What becomes of all documents of the job in the same write. */
  readonly lifetime?: Lifetime;
}

/** How long a job's documents stay after the write, all of them alike. */
export interface Lifetime {
  /** Of the job's content, each of which is a document. */
  readonly revisions: number;
  /** Null: for ever. Otherwise the job is closed, and its secrets are removed. */
  readonly keepMs: number | null;
  /** Members of the content that are removed with it. None where the job stays. */
  readonly secrets: readonly string[];
}

/** What a job that is over at once is closed with. */
export type Closing = Pick<Lifetime, "secrets"> & { readonly keepMs: number };

export const set = (path: readonly string[], value: unknown): Change => ({ op: "set", path, value });
export const append = (path: readonly string[], value: unknown): Change => ({ op: "append", path, value });
export const remove = (path: readonly string[]): Change => ({ op: "remove", path });
