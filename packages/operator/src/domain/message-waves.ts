// An action on many messages that could not be processed: it begins with one, and stops by itself if too many come back with the same cause.
import { SAME_CAUSE_LIMIT } from "./bulk.ts";

/** A request handles at most this number: each is locked, sent and removed by itself. */
export const MOST_IN_A_WAVE = 25;
const FIRST_WAVES: readonly number[] = [1, 10];

export interface MessageWave {
  readonly from: number;
  readonly to: number;
}

export function messageWaves(count: number): MessageWave[] {
  const waves: MessageWave[] = [];
  for (let from = 0; from < count; ) {
    const to = Math.min(count, from + (FIRST_WAVES[waves.length] ?? MOST_IN_A_WAVE));
    waves.push({ from, to });
    from = to;
  }
  return waves;
}

/** A message that is sent again and can't be read is back after this time. One that the app tries several times may take longer. */
export const COMES_BACK_WITHIN_MS = 5000;

/**
 * @param before the messages of the cause before the wave
 * @param now those after it
 */
export function comeBack(before: readonly string[], now: readonly string[]): number {
  const known = new Set(before);
  return now.filter((sequenceNumber) => !known.has(sequenceNumber)).length;
}

export const stopsAfter = (back: number, sent: number): boolean => sent > 0 && back / sent > SAME_CAUSE_LIMIT;
