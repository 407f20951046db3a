// Numbers of attempts in one form: nothing asks for more than which is the first, which comes before which, and which comes next.

import type { StateRecord, StepTask } from "@scheduler-agent-supervisor/core/domain";
import { foundIn } from "./attempt-of.ts";
import { withoutOver } from "./normal-form.ts";
import type { Operation, Piece } from "./piece.ts";
import type { Pieces } from "./pieces.ts";
import type { Promises } from "./promises.ts";
import { FIRST_PIECE, isStalled, PREVIOUS, PROMISES, pieceOf, RECORD, type State, sorted, stalled } from "./state.ts";

/** Members that hold one, holders' names, and an operator's entries in the history. */
const NUMBER = /(?<="(?:attempt|completedIn|receiver)":|"job-|attempt )\d+/g;
/** In what the client is owed, as `RetryScheduled:2`. */
const OWED_NUMBER = /(?<=^[A-Za-z]+:)\d+/;
/** Stands for "told": see normal-form.ts. */
const NONE = 0;
/** A step completed one attempt before is distinguished from one completed earlier. */
const WIDEST_GAP = 2;
/** What a submission begins. */
const FIRST = 1;

/** Of a set of attempts each is a bit: bit 1 is the first attempt. */
type Attempted = number;
/** Only so many bits has a set: a world has a few attempts at a time, and their numbers are closed up after each move. */
const MOST = 31;

type Renumber = (json: string) => string;

/** What becomes of the numbers of one set. */
interface Closing {
  readonly to: ReadonlyMap<number, number>;
  readonly isSame: boolean;
  readonly change: Renumber;
  /** By the number of the promises: what becomes of them. */
  readonly promises: number[];
  /** By the number of the piece. */
  readonly pieces: number[];
}

/**
 * Where no agent takes a step up in time, a job is scheduled again without a limit, and its attempts are counted on: with the
 * numbers of those that are over closed up, such worlds have an end.
 */
export class Attempts {
  readonly #pieces: Pieces;
  readonly #forgets: boolean;
  readonly #inValue: (Attempted | undefined)[] = [];
  readonly #inPiece: (Attempted | undefined)[] = [];
  readonly #inPromises: (Attempted | undefined)[] = [];
  readonly #askedBy: (Attempted | undefined)[] = [];
  /** By the record, then by who is asked for. */
  readonly #over: (Map<Attempted, number> | undefined)[] = [];
  readonly #closings = new Map<Attempted, Closing>();

  /** @param forgets whether a record keeps no attempt of a run that is over, unless somebody may still ask for it */
  constructor(pieces: Pieces, forgets: boolean) {
    this.#pieces = pieces;
    this.#forgets = forgets;
  }

  closedUp(given: State): State {
    const state = this.#forgets ? this.#withoutOver(given) : given;
    let found = this.#numbersInValue(state[RECORD] as number) | this.#numbersInPromises(state[PROMISES] as number);
    found |= this.#numbersInValue(state[PREVIOUS] as number);
    for (let at = FIRST_PIECE; at < state.length; at += 1) found |= this.#numbersInPiece(pieceOf(state[at] as number));
    const closing = this.#closingOf(found);
    const promises = this.#promises(state[PROMISES] as number, closing);
    if (closing.isSame && promises === state[PROMISES]) return state;
    const next = [...state];
    next[PROMISES] = promises;
    if (closing.isSame) return next;
    for (let at = FIRST_PIECE; at < next.length; at += 1) {
      const id = next[at] as number;
      const piece = this.#piece(pieceOf(id), closing);
      next[at] = isStalled(id) ? stalled(piece) : piece;
    }
    for (const at of [RECORD, PREVIOUS]) {
      const value = state[at] as number;
      next[at] = value === 0 ? 0 : this.#pieces.values.changed(value, closing.change);
    }
    return sorted(next);
  }

  /** Whether a run that is over was its own asks only who reports of it, an activity or a reply; and whoever may come to begin it again. */
  #withoutOver(state: State): State {
    const record = state[RECORD] as number;
    if (record === 0) return state;
    let asked: Attempted = 0;
    for (let at = FIRST_PIECE; at < state.length; at += 1) asked |= this.#asked(pieceOf(state[at] as number));
    let known = this.#over[record];
    if (!known) {
      known = new Map();
      this.#over[record] = known;
    }
    let next = known.get(asked);
    if (next === undefined) {
      const { values } = this.#pieces;
      const isAsked = (_step: string, _way: string, attempt: number) => (asked & bitOf(attempt)) !== 0;
      const stored = values.get<StateRecord>(record);
      const rest = withoutOver(stored, isAsked);
      next = rest === stored ? record : values.idOf(rest);
      known.set(asked, next);
    }
    return next === record ? state : state.with(RECORD, next);
  }

  #asked(id: number): Attempted {
    const known = this.#askedBy[id];
    if (known !== undefined) return known;
    const asked = this.#findAsked(id, this.#pieces.get(id));
    this.#askedBy[id] = asked;
    return asked;
  }

  #findAsked(id: number, piece: Piece): Attempted {
    if (piece.kind === "lateCall") return 0;
    if (piece.kind !== "message") return bitOf(this.#pieces.attemptOf(id) ?? FIRST) | this.#polled(piece);
    return this.#numbersInPiece(id) | (piece.queue === "jobs" ? bitOf(FIRST) : 0);
  }

  /** The run that it polls may be an earlier attempt's. */
  #polled(piece: Exclude<Piece, { kind: "message" }>): Attempted {
    if (piece.kind !== "operation" || piece.name !== "pollStep") return 0;
    const { values } = this.#pieces;
    const found = foundIn(piece, values.get<StepTask>(piece.input), values);
    return found === undefined ? 0 : bitOf(found);
  }

  /** An attempt that nothing names any more ended in some way or other. */
  #promises(id: number, { to, promises }: Closing): number {
    const known = promises[id];
    if (known !== undefined) return known;
    const { values } = this.#pieces;
    const { owed, ends } = values.get<Promises>(id);
    const kept = Object.entries(ends).flatMap(([attempt, status]) => {
      const number = to.get(Number(attempt));
      return number === undefined ? [] : [[number, status] as const];
    });
    const next = values.idOf({
      owed: owed.map((word) => word.replace(OWED_NUMBER, (number) => `${to.get(Number(number))}`)),
      ends: Object.fromEntries(kept),
    });
    promises[id] = next;
    return next;
  }

  #closingOf(attempts: Attempted): Closing {
    let known = this.#closings.get(attempts);
    if (!known) {
      const found = Array.from({ length: MOST }, (_, number) => number).filter(
        (number) => (attempts & bitOf(number)) !== 0,
      );
      const closed = closeUp(found);
      const to = new Map(found.map((number, at) => [number, closed[at] as number]));
      const isSame = found.every((number, at) => number === closed[at]);
      const change = (json: string) => json.replace(NUMBER, (number) => `${to.get(Number(number)) ?? number}`);
      known = { to, isSame, change, promises: [], pieces: [] };
      this.#closings.set(attempts, known);
    }
    return known;
  }

  #piece(id: number, { to, change, pieces }: Closing): number {
    pieces[id] ??= this.#pieces.idOf(this.#changed(this.#pieces.get(id), to, change));
    return pieces[id];
  }

  #changed(piece: Piece, to: ReadonlyMap<number, number>, change: Renumber): Piece {
    const changed = (value: number) => this.#pieces.values.changed(value, change);
    switch (piece.kind) {
      case "message":
        return { ...piece, body: changed(piece.body) };
      case "orchestration": {
        const events = piece.events.map((event) => ({ ...event, value: changed(event.value) }));
        return { ...piece, input: changed(piece.input), events, kept: piece.kept.map(changed) };
      }
      case "operation": {
        const { owner, returned } = piece;
        const renamed: Operation = { ...piece, input: changed(piece.input), log: piece.log.map(changed) };
        return {
          ...renamed,
          owner: owner && { ...owner, attempt: to.get(owner.attempt) ?? owner.attempt },
          ...(returned !== undefined && { returned: changed(returned) }),
        };
      }
      case "lateCall":
        return piece;
      default:
        return piece satisfies never;
    }
  }

  #numbersInPromises(id: number): Attempted {
    const known = this.#inPromises[id];
    if (known !== undefined) return known;
    let found: Attempted = 0;
    for (const word of this.#pieces.values.get<Promises>(id).owed) {
      const number = OWED_NUMBER.exec(word);
      if (number) found |= bitOf(Number(number[0]));
    }
    this.#inPromises[id] = found;
    return found;
  }

  #numbersInPiece(id: number): Attempted {
    const known = this.#inPiece[id];
    if (known !== undefined) return known;
    const piece = this.#pieces.get(id);
    let found: Attempted = 0;
    for (const value of valuesOf(piece)) found |= this.#numbersInValue(value);
    if (piece.kind === "operation" && piece.owner) found |= bitOf(piece.owner.attempt);
    this.#inPiece[id] = found;
    return found;
  }

  #numbersInValue(id: number): Attempted {
    if (id === 0) return 0;
    const known = this.#inValue[id];
    if (known !== undefined) return known;
    let found: Attempted = 0;
    for (const number of this.#pieces.values.textOf(id).match(NUMBER) ?? [])
      if (Number(number) !== NONE) found |= bitOf(Number(number));
    this.#inValue[id] = found;
    return found;
  }
}

function bitOf(attempt: number): Attempted {
  if (attempt >= MOST) throw new Error(`the model counts attempts up to ${MOST - 1}, and there is one with ${attempt}`);
  return 1 << attempt;
}

/** The first attempt stays the first: what was promised before it began is told in its name. */
function closeUp(numbers: readonly number[]): number[] {
  const closed: number[] = [];
  for (const [at, number] of numbers.entries()) {
    const before = numbers[at - 1];
    closed.push(
      before === undefined ? Math.min(number, 2) : (closed[at - 1] as number) + Math.min(number - before, WIDEST_GAP),
    );
  }
  return closed;
}

function valuesOf(piece: Piece): number[] {
  switch (piece.kind) {
    case "message":
      return [piece.body];
    case "orchestration":
      return [piece.input, ...piece.events.map(({ value }) => value), ...piece.kept];
    case "operation":
      return [piece.input, ...piece.log, ...(piece.returned === undefined ? [] : [piece.returned])];
    case "lateCall":
      return [];
    default:
      return piece satisfies never;
  }
}
