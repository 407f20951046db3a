// What an operation reads of the record: in its form for who reads it, and, where reads may be stale, as it was before its last write.

import { levelsOf, type StateRecord, type StepTask, type Versioned } from "@scheduler-agent-supervisor/core/domain";
import { foundIn } from "./attempt-of.ts";
import { aboutOf, type Call, type Replied, type Reported } from "./calls.ts";
import { isEndOfStep } from "./handed-on.ts";
import { isPastDeadline, withoutOver } from "./normal-form.ts";
import type { Operation } from "./piece.ts";
import { CURRENT, type Pieces } from "./pieces.ts";
import type { Setting } from "./setting.ts";
import { NOTHING_OLDER } from "./state.ts";
import type { Writer } from "./watch.ts";

export interface Doing extends Operation {
  readonly id: number;
  /** Of an activity that runs several steps, the one that it is at. */
  readonly at: StepTask | undefined;
}

type Read = Extract<Call, { kind: "state" | "due" }>;

/** Beside them a claim's patch has six changes more, and may have ten: see domain/steps/transitions.ts. */
const MOST_IN_A_CLAIM = 4;

/** The version of what is never written back. */
export const UNKEPT = "unkept";

export class Reads {
  readonly #pieces: Pieces;
  readonly #setting: Setting;
  readonly #isReduced: boolean;
  readonly #hasWideStart: boolean;

  constructor(pieces: Pieces, setting: Setting) {
    this.#pieces = pieces;
    this.#isReduced = !setting.isExact && !setting.isUnreduced;
    this.#setting = setting;
    const [first = []] = levelsOf(setting.workflow);
    this.#hasWideStart = first.length > MOST_IN_A_CLAIM;
  }

  of(operation: Doing, stored: StateRecord | undefined): Versioned | null {
    return stored ? { record: this.#seenBy(operation, stored), etag: this.#etagFor(operation, stored) } : null;
  }

  /** Undefined where it can't be stale: each operation may run in a process of its own, and reads nothing older than it has seen. */
  stale(operation: Doing, call: Read, previous: number): { readonly answer: Versioned | null } | undefined {
    const { values } = this.#pieces;
    if (previous === NOTHING_OLDER || (call.kind === "state" && call.isNewest)) return undefined;
    if (operation.log.some((entry) => values.textOf(entry).includes(SEEN))) return undefined;
    const older = values.get<StateRecord | null>(previous) ?? undefined;
    const isFound = call.kind === "state" || (older !== undefined && isFoundBy(older, call.before));
    const read = isFound ? this.of(operation, older) : null;
    return { answer: read && { ...read, etag: "stale" } };
  }

  /** The answer of a rejected write has a session token too: what is read next is as new. */
  rejection(): { readonly kind: "rejected" } {
    return this.#setting.bounds.staleReads > 0 ? REJECTED_AT_NEWEST : REJECTED;
  }

  /** Of runs that are over it asks only whether its own is its own; an activity that runs several steps, whether each is. */
  #seenBy(operation: Doing, record: StateRecord): StateRecord {
    if (!this.#isReduced) return record;
    const own = isEndOfStep(operation.name) ? this.runOf(operation) : undefined;
    const runsSeveral = operation.at?.plan !== undefined;
    return withoutOver(record, (step, direction, attempt) => {
      if (direction !== own?.direction) return false;
      return runsSeveral ? attempt === own.attempt : step === own.step;
    });
  }

  /**
   * A submission makes use of versions only to clear outbox messages, and to claim a job with more first steps than one patch takes; what is the same
   * would otherwise be kept apart by them.
   */
  #etagFor({ name }: Operation, { outbox, processState }: StateRecord): string {
    const isKept =
      name !== "submitJob" ||
      outbox.length > 0 ||
      (processState === "Pending" && this.#hasWideStart) ||
      this.#setting.isExact ||
      this.#setting.bounds.staleReads > 0;
    return isKept ? CURRENT : UNKEPT;
  }

  /** The run whose end an agent, or a reply, reports. */
  runOf(operation: Doing): Writer["own"] {
    const { step, direction } = operation.at ?? this.#aboutOf(operation);
    const attempt = this.#pieces.attemptOf(operation.id) ?? 0;
    // A poll is for whichever attempt holds the job: the run may be an earlier one's.
    const found = operation.name === "pollStep" && foundIn(operation, { step, direction }, this.#pieces.values);
    return { step, direction, attempt: found || attempt };
  }

  #aboutOf({ input }: Operation) {
    const value = this.#pieces.values.get<StepTask | Replied | Reported>(input);
    return "replyTo" in value ? aboutOf(value) : (value as StepTask);
  }
}

const isDue = ({ dueAt }: StateRecord, before: string) => dueAt !== undefined && dueAt < before;

/** Whether a sweep finds it. */
export const isFoundBy = (record: StateRecord, before: string) => isDue(record, before) || isPastDeadline(record);

const REJECTED = { kind: "rejected" } as const;
const REJECTED_AT_NEWEST = { ...REJECTED, etag: CURRENT } as const;
const SEEN = `"etag":"${CURRENT}"`;
