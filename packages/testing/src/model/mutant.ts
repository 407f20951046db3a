// Faults planted in what the operations stand on: the explorer has to find each of them.

import type { Guard, GuardedWrite, StateRecord, Timing } from "@scheduler-agent-supervisor/core/domain";
import type { OperationName } from "./operation-name.ts";

export interface Mutant {
  /** What of a guard the store forgets to check; `run`: which attempt scheduled the step. */
  readonly forgets?: (keyof Guard | "run")[];
  /** The store replaces a record whatever its version: for one operation, or for all. */
  readonly ignoresVersion?: OperationName | "all";
  /** One write made as several, one after the other. */
  readonly splits?: (write: GuardedWrite) => readonly GuardedWrite[];
  readonly timing?: Partial<Timing>;
  /** Both hosts hold a job under the same name. */
  readonly oneTaskHub?: boolean;
  /** An agent that goes on past complete-by. */
  readonly ignoresCompleteBy?: boolean;
  /** A reply is recorded however late it is. */
  readonly acceptsLateReplies?: boolean;
  /** A reply is recorded whoever it is from. */
  readonly ignoresNonce?: boolean;
  /** The key under which an agent calls its service. */
  readonly keyOf?: (key: string, attempt: number) => string;
  /** What an operation reads in place of the record that stands there. */
  readonly reads?: (record: StateRecord, operation: OperationName) => StateRecord;
  /** An agent that begins whatever it is told when it takes a step up. */
  readonly ignoresTakeUp?: boolean;
  /** An agent whose start is not recorded, and which must not repeat its operations. */
  readonly forgetsStart?: boolean;
  /** Before an answer that is final it reads what may be stale. */
  readonly forgetsNewest?: boolean;
  /** What is stored in the place of a whole record. */
  readonly replaces?: (record: StateRecord) => StateRecord;
}
