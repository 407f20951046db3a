// What is under way in a state besides the record: a message, an orchestration, or an operation that waits for its next call.
import type { Sent } from "./calls.ts";
import type { OperationName } from "./operation-name.ts";
import type { TaskEvent } from "./orchestration-run.ts";
import type { Host } from "./setting.ts";

/** Numbers stand for values: see `Values`. */
export type Piece =
  | Message
  | Orchestration
  | Operation
  /** A request that reaches the service after its agent has given up. */
  | { readonly kind: "lateCall"; readonly call: number };

/** In its queue; while it is handled it is the operation's input. */
export interface Message {
  readonly kind: "message";
  /** `accepted` is none: what the service does later, until it reports it. */
  readonly queue: "jobs" | "accepted" | Sent["queue"];
  readonly body: number;
  /** When it can be received, and until when it lives; null for at once, and for ever. */
  readonly at: string | null;
  readonly until: string | null;
}

export interface Orchestration {
  readonly kind: "orchestration";
  readonly host: Host;
  /** The attempt as it was claimed. */
  readonly input: number;
  readonly events: readonly { readonly task: number; readonly kind: TaskEvent["kind"]; readonly value: number }[];
  /** Raised, and not waited for yet. */
  readonly kept: readonly number[];
}

export interface Operation {
  readonly kind: "operation";
  readonly host: Host;
  readonly name: OperationName;
  readonly input: number;
  readonly log: readonly number[];
  /** Of an activity: the task of the orchestration that waits for it; null where none does any more. */
  readonly owner: { readonly attempt: number; readonly task: number } | null;
  /** What it has returned: of what it met nothing matters any more, and the log is empty. */
  readonly returned?: number;
  /** It was begun before, where that makes a difference. */
  readonly isAgain?: true;
}
