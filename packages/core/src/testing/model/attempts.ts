// Numbers of attempts in one form: nothing asks for more than which is the first, which comes before which, and which comes next.
import type { StateRecord } from "../../domain/state-record.ts";
import { withoutOver } from "./normal-form.ts";
import type { Operation, Piece, Pieces } from "./pieces.ts";
import type { Promises } from "./promises.ts";
import { FIRST_PIECE, isStalled, PROMISES, pieceOf, RECORD, type State, sorted, stalled } from "./state.ts";

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

type Renumber = (json: string) => string;

/**
 * Where no agent takes a step up in time, a job is scheduled again without a limit, and its attempts are counted on: with the
 * numbers of those that are over closed up, such worlds have an end.
 */
export class Attempts {
  readonly #pieces: Pieces;
  readonly #inValue: (readonly number[] | undefined)[] = [];
  readonly #inPiece: (readonly number[] | undefined)[] = [];
  readonly #over = new Map<string, number>();
  readonly #renumbers = new Map<string, { readonly to: ReadonlyMap<number, number>; readonly change: Renumber }>();
  readonly #renumbered = new Map<Renumber, number[]>();

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  closedUp(given: State): State {
    const state = this.#withoutOver(given);
    const numbers = new Set(this.#numbersInValue(state[RECORD] as number));
    for (const word of this.#pieces.values.get<Promises>(state[PROMISES] as number).owed) {
      const found = OWED_NUMBER.exec(word);
      if (found) numbers.add(Number(found[0]));
    }
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      for (const number of this.#numbersInPiece(pieceOf(state[at] as number))) numbers.add(number);
    }
    const found = [...numbers].sort((one, other) => one - other);
    const closed = closeUp(found);
    const promises = this.#promises(state[PROMISES] as number, found, closed);
    if (found.every((number, at) => number === closed[at])) {
      return promises === state[PROMISES] ? state : state.map((id, at) => (at === PROMISES ? promises : id));
    }
    const change = this.#renumberOf(found, closed);
    const next = state.map((id, at) => {
      if (at < FIRST_PIECE) return id;
      const piece = this.#piece(pieceOf(id), change);
      return isStalled(id) ? stalled(piece) : piece;
    });
    next[RECORD] = this.#pieces.values.changed(state[RECORD] as number, change.change);
    next[PROMISES] = promises;
    return sorted(next);
  }

  /** Whether a run that is over was its own asks only who reports of it, an activity or a reply; and whoever may come to begin it again. */
  #withoutOver(state: State): State {
    const record = state[RECORD] as number;
    if (record === 0) return state;
    const asked = new Set<number>();
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const id = pieceOf(state[at] as number);
      const piece = this.#pieces.get(id);
      if (piece.kind === "lateCall") continue;
      if (piece.kind === "message") for (const number of this.#numbersInPiece(id)) asked.add(number);
      else asked.add(this.#pieces.attemptOf(piece) ?? FIRST);
      if (piece.kind === "message" && piece.queue === "jobs") asked.add(FIRST);
    }
    const key = `${record}:${[...asked].sort().join()}`;
    let next = this.#over.get(key);
    if (next === undefined) {
      const { values } = this.#pieces;
      next = values.idOf(withoutOver(values.get<StateRecord>(record), (_step, _way, attempt) => asked.has(attempt)));
      this.#over.set(key, next);
    }
    return next === record ? state : state.map((id, at) => (at === RECORD ? (next as number) : id));
  }

  /** An attempt that nothing names any more ended in some way or other. */
  #promises(id: number, found: readonly number[], closed: readonly number[]): number {
    const { values } = this.#pieces;
    const { owed, ends } = values.get<Promises>(id);
    const to = (number: number) => closed[found.indexOf(number)] as number;
    const kept = Object.entries(ends).filter(([attempt]) => found.includes(Number(attempt)));
    return values.idOf({
      owed: owed.map((word) => word.replace(OWED_NUMBER, (number) => `${to(Number(number))}`)),
      ends: Object.fromEntries(kept.map(([attempt, status]) => [to(Number(attempt)), status])),
    });
  }

  #renumberOf(found: readonly number[], closed: readonly number[]) {
    const key = found.map((number, at) => `${number}>${closed[at]}`).join();
    let known = this.#renumbers.get(key);
    if (!known) {
      const to = new Map(found.map((number, at) => [number, closed[at] as number]));
      known = { to, change: (json) => json.replace(NUMBER, (number) => `${to.get(Number(number)) ?? number}`) };
      this.#renumbers.set(key, known);
    }
    return known;
  }

  #piece(id: number, { to, change }: { readonly to: ReadonlyMap<number, number>; readonly change: Renumber }): number {
    let known = this.#renumbered.get(change);
    if (!known) {
      known = [];
      this.#renumbered.set(change, known);
    }
    known[id] ??= this.#pieces.idOf(this.#changed(this.#pieces.get(id), to, change));
    return known[id];
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

  #numbersInPiece(id: number): readonly number[] {
    const known = this.#inPiece[id];
    if (known) return known;
    const piece = this.#pieces.get(id);
    const numbers = valuesOf(piece).flatMap((value) => this.#numbersInValue(value));
    if (piece.kind === "operation" && piece.owner) numbers.push(piece.owner.attempt);
    const found = [...new Set(numbers)];
    this.#inPiece[id] = found;
    return found;
  }

  #numbersInValue(id: number): readonly number[] {
    if (id === 0) return [];
    const known = this.#inValue[id];
    if (known) return known;
    const text = JSON.stringify(this.#pieces.values.get(id));
    const found = [...new Set(text.match(NUMBER)?.map(Number))].filter((number) => number !== NONE);
    this.#inValue[id] = found;
    return found;
  }
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
