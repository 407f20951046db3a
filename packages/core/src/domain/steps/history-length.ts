// How long the history of an attempt is, and when the attempt continues as new (P22): a service that is polled for days adds to it with each poll.
import type { Attempt, StepOutcome } from "./attempt.ts";

/** About how long a history may become beside what the attempt knew when it began. */
export const HISTORY_BYTES = 256 * 1024;
/** What the engine keeps of one turn: a timer, an event, and its own notes. */
const TURN_BYTES = 1500;
/** After it continued, an attempt reads the record once: that is no reason to continue again. */
const OWN_SHARE = 1.5;

interface Activity {
  readonly isCompleted: boolean;
  readonly isFaulted: boolean;
}

/** Estimated, and the same in each replay. */
export class HistoryLength {
  readonly #most: number | undefined;
  readonly #limit: number;
  #bytes = 0;
  #hasBegun = false;
  #open: readonly Activity[] = [];
  #hasFailed: boolean;

  /** `historyBytes`: about how long it may become; absent if it never continues as new. */
  constructor(input: Attempt) {
    const { historyBytes: most, hasFailed = false } = input;
    this.#most = most;
    this.#limit = (most ?? 0) + (most === undefined ? 0 : bytesOf(input) * OWN_SHARE);
    this.#hasFailed = hasFailed;
  }

  /** Whether the attempt may continue as new: the engine waits for its open activities, and until then the attempt would receive nothing. */
  get isOver(): boolean {
    // Reading the record again and again would lead to nothing.
    return this.#hasBegun && this.#isBeyond(0) && this.isAtRest;
  }

  /** No further polls: then the attempt comes to rest. One that has begun nothing may not continue as new, so it goes on with its polls. */
  get isFull(): boolean {
    return this.#hasBegun && this.#isBeyond(this.#most ?? 0);
  }

  get isAtRest(): boolean {
    return this.#stillOpen().length === 0;
  }

  /** An activity has failed: what it recorded, if the answer to that was lost, nobody has published. */
  get hasFailed(): boolean {
    this.#stillOpen();
    return this.#hasFailed;
  }

  /** The activities of a turn, with the inputs of the steps and polls among them. */
  began(activities: readonly Activity[], inputs: readonly object[]): void {
    this.#open = [...this.#open, ...activities];
    this.#hasBegun ||= inputs.length > 0;
    this.#add(inputs);
  }

  received(outcomes: readonly StepOutcome[]): void {
    this.#bytes += TURN_BYTES;
    this.#add(outcomes);
  }

  #stillOpen(): readonly Activity[] {
    this.#hasFailed ||= this.#open.some(({ isFaulted }) => isFaulted);
    this.#open = this.#open.filter(({ isCompleted }) => !isCompleted);
    return this.#open;
  }

  #add(values: readonly object[]): void {
    if (this.#most !== undefined) for (const value of values) this.#bytes += bytesOf(value);
  }

  #isBeyond(moreBytes: number): boolean {
    return this.#most !== undefined && this.#bytes > this.#limit + moreBytes;
  }
}

function bytesOf(value: object): number {
  return JSON.stringify(value).length;
}
