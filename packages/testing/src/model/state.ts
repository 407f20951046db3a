// A state as a short list of numbers: the record's, the audit log's, the promises', the bounds', what the record was before, and then each piece's.

export type State = readonly number[];

export const RECORD = 0;
export const SERVICE_STATE = 1;
export const PROMISES = 2;
export const BOUNDS = 3;
/** What a stale read finds: the record before its last write; `NOTHING_OLDER` where no read may be stale. */
export const PREVIOUS = 4;
export const FIRST_PIECE = 5;

export const NOTHING_OLDER = 0;

/** Added to the number of a piece that has stood still while the clock ticked, though it could have gone on. */
const STALLED = 2 ** 24;

export const isStalled = (placed: number): boolean => placed >= STALLED;
export const stalled = (id: number): number => id + STALLED;
/** The number of the piece itself. */
export const pieceOf = (placed: number): number => (placed >= STALLED ? placed - STALLED : placed);

/** What stands before the pieces. Those that are absent stay as they are. */
export interface Fields {
  readonly record?: number;
  readonly serviceState?: number;
  readonly promises?: number;
  readonly previous?: number;
}

/** The state without one piece, or with all where `without` is 0, with others, and with other fields. */
export function change(state: State, without: number, pieces: readonly number[], fields: Fields = {}): State {
  const { record, serviceState, promises, previous } = fields;
  const next: number[] = [];
  let isLeftOut = without === 0;
  for (let at = 0; at < state.length; at += 1) {
    const id = state[at] as number;
    if (isLeftOut || at < FIRST_PIECE || id !== without) next.push(id);
    else isLeftOut = true;
  }
  for (const piece of pieces) next.push(piece);
  if (record !== undefined) next[RECORD] = record;
  if (serviceState !== undefined) next[SERVICE_STATE] = serviceState;
  if (promises !== undefined) next[PROMISES] = promises;
  if (previous !== undefined) next[PREVIOUS] = previous;
  return sorted(next);
}

export function isSame(one: State, other: State): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

/** Pieces have no order of their own. Sorts in place. */
export function sorted(state: number[]): number[] {
  for (let at = FIRST_PIECE + 1; at < state.length; at += 1) {
    const piece = state[at] as number;
    let before = at - 1;
    while (before >= FIRST_PIECE && (state[before] as number) > piece) {
      state[before + 1] = state[before] as number;
      before -= 1;
    }
    state[before + 1] = piece;
  }
  return state;
}

/** The first piece of which that holds, as it is placed; 0 if there is none. */
export function findPiece(state: State, holds: (id: number) => boolean): number {
  for (let at = FIRST_PIECE; at < state.length; at += 1) {
    const placed = state[at] as number;
    if (holds(pieceOf(placed))) return placed;
  }
  return 0;
}
