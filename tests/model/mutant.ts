// Faults planted in what the operations stand on: the explorer has to find each of them.
import type { Wake } from "../../shared/domain/attempt.ts";
import type { StateRecord } from "../../shared/domain/state-record.ts";
import type { Guard, GuardedWrite } from "../../shared/domain/transitions.ts";
import type { Timing } from "../../shared/operations/ports.ts";

export interface Mutant {
  /** What of a guard the store forgets to check. */
  readonly forgets?: (keyof Guard)[];
  /** The store replaces a record whatever its version. */
  readonly ignoresVersion?: boolean;
  /** One write made as several, one after the other. */
  readonly splits?: (write: GuardedWrite) => readonly GuardedWrite[];
  readonly timing?: Partial<Timing>;
  /** Both hosts hold an order under the same name. */
  readonly oneTaskHub?: boolean;
  /** An agent that goes on past complete-by. */
  readonly ignoresCompleteBy?: boolean;
  /** What is to be told later is told at once. */
  readonly hurries?: boolean;
  /** A reply is recorded however late it is. */
  readonly acceptsLateReplies?: boolean;
  /** The key under which an agent calls its service. */
  readonly keyOf?: (key: string, attempt: number) => string;
  /** What is stored in the place of a whole record. */
  readonly replaces?: (record: StateRecord) => StateRecord;
  readonly wake?: (wake: Wake) => Wake;
}
