// What may still go wrong, and the tick of the clock: what could go on and does not while it ticks has stalled.
import { LONG_AGO, NOW_MS, TICK_MS } from "./abstract-time.ts";
import type { Accepted } from "./calls.ts";
import type { Engine } from "./engine.ts";
import type { Pieces } from "./pieces.ts";
import { AHEAD_MS, type Bounds, type Setting } from "./setting.ts";
import {
  BOUNDS,
  FIRST_PIECE,
  isStalled,
  NOTHING_OLDER,
  PREVIOUS,
  pieceOf,
  RECORD,
  type State,
  sorted,
  stalled,
} from "./state.ts";

export class Clock {
  readonly #pieces: Pieces;
  readonly #engine: Engine;
  readonly #setting: Setting;
  /** By the bounds' number. */
  readonly #spent: { readonly [what in keyof Bounds]-?: number[] };

  constructor(pieces: Pieces, engine: Engine, setting: Setting) {
    this.#pieces = pieces;
    this.#engine = engine;
    this.#setting = setting;
    const { bounds } = setting;
    this.#spent = Object.fromEntries(Object.keys(bounds).map((what) => [what, []])) as never;
  }

  /**
   * The state one tick later; undefined where that is the same, or the clock may not tick. Whatever could go on and does not
   * has stalled: that is spent once for as long as it stands still.
   */
  tick(state: State): State | undefined {
    let next: State | undefined = state;
    const ticked = state.slice(0, FIRST_PIECE);
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const placed = state[at] as number;
      const isReady = isStalled(placed) || this.#isReady(state, placed);
      if (isReady === undefined) return undefined;
      if (isReady && !isStalled(placed)) next = this.spend(next, this.#isAccepted(placed) ? "lateness" : "stalls");
      if (next && this.#runsOutOfTime(placed)) next = this.spend(next, "timeouts");
      if (!next) return undefined;
      const later = this.#pieces.ticked(pieceOf(placed));
      if (!this.#isDropped(later)) ticked.push(isReady ? stalled(later) : later);
    }
    ticked[BOUNDS] = next[BOUNDS] as number;
    ticked[PREVIOUS] = NOTHING_OLDER;
    const record = state[RECORD] as number;
    ticked[RECORD] = record === 0 ? 0 : this.#pieces.tickedValue(record);
    sorted(ticked);
    return ticked.length < state.length || ticked.some((id, at) => id !== state[at]) ? ticked : undefined;
  }

  /** In this tick, while it waits for its service. */
  #runsOutOfTime(placed: number): boolean {
    if (this.#setting.bounds.timeouts === undefined) return false;
    const piece = this.#pieces.get(pieceOf(placed));
    const stand = piece.kind === "operation" ? this.#pieces.stand(pieceOf(placed)) : undefined;
    if (piece.kind !== "operation" || stand?.kind !== "service") return false;
    const leftMs = Date.parse(stand.completeBy) - NOW_MS - AHEAD_MS[piece.host];
    return leftMs > 0 && leftMs <= TICK_MS;
  }

  #isAccepted(placed: number): boolean {
    const piece = this.#pieces.get(pieceOf(placed));
    return piece.kind === "message" && piece.queue === "accepted";
  }

  #acceptedUntil(body: number): string {
    return this.#pieces.values.get<Accepted>(body).call.completeBy;
  }

  /** A request that nobody received in its time. */
  #isDropped(id: number): boolean {
    const piece = this.#pieces.get(id);
    return piece.kind === "message" && piece.until !== null && Date.parse(piece.until) <= NOW_MS;
  }

  /** Whether it could go on at once. A service takes the time that it takes. */
  #isReady(state: State, placed: number): boolean | undefined {
    const id = pieceOf(placed);
    const piece = this.#pieces.get(id);
    switch (piece.kind) {
      case "message":
        // Whoever does it later takes the time that it was given.
        if (piece.queue === "accepted") return Date.parse(this.#acceptedUntil(piece.body)) <= NOW_MS;
        return piece.at === null || Date.parse(piece.at) <= NOW_MS;
      // Its timers fire at any time until they are long past: see `Engine.foundBy`.
      case "orchestration":
        if (this.#engine.foundBy(state, placed) === undefined) return false;
        return this.#pieces.progress(id).open.some((task) => task.kind === "timer" && task.at <= LONG_AGO);
      case "operation": {
        const stand = this.#pieces.stand(id);
        if (!stand) return undefined;
        return (
          stand.kind !== "service" ||
          (!this.#setting.mutant?.ignoresCompleteBy && Date.parse(stand.completeBy) <= NOW_MS + AHEAD_MS[piece.host])
        );
      }
      case "lateCall":
        return false;
      default:
        return piece satisfies never;
    }
  }

  mayStill(state: State, what: keyof Bounds): boolean {
    return (this.#setting.bounds[what] ?? 0) > 0 && this.spend(state, what) !== undefined;
  }

  /** The state with one less of what may go wrong; undefined where it may not any more. */
  spend(state: State, what: keyof Bounds): State | undefined {
    const spent = this.#spent[what];
    const before = state[BOUNDS] as number;
    let left = spent[before];
    if (left === undefined) {
      const { values } = this.#pieces;
      const bounds = values.get<Bounds>(before);
      const count = bounds[what] ?? 0;
      left = count === 0 ? 0 : values.idOf({ ...bounds, [what]: count - 1 });
      spent[before] = left;
    }
    if (left === 0) return undefined;
    const next = state.with(BOUNDS, left);
    // Once no read may be stale any more, nothing older is kept.
    return what === "staleReads" && !this.mayStill(next, what) ? next.with(PREVIOUS, NOTHING_OLDER) : next;
  }
}
