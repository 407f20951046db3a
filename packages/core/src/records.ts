// Public entry `core/records`: the state record as it is stored, for agents whose resource is the state store (P2, P3).
export { mayHaveHadEffect } from "./domain/record/plan.ts";
export type {
  Direction,
  ProcessState,
  StateRecord,
  StepRecord,
  StepResult,
  StepState,
} from "./domain/record/state-record.ts";
export type { Versioned } from "./store/job-store.ts";
