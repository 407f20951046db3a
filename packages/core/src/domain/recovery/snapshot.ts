// What a decision of the supervisor or of an operator is based on, and what comes of it.

import type { ProcessState, StateRecord } from "../record/state-record.ts";
import { overdueStep } from "./overdue.ts";

/** The basis of a decision, and its result. */
export interface Snapshot {
  readonly processState: ProcessState;
  readonly attempt: number;
  readonly failureCount: number;
  /** The running step; null if none runs. */
  readonly step: string | null;
}

export function snapshotOf(record: StateRecord): Snapshot {
  const { processState, attempt, failureCount } = record;
  return { processState, attempt, failureCount, step: overdueStep(record) ?? null };
}
