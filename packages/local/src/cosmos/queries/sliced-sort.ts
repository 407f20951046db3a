// Sorts many results in pieces, so that other requests have their turn in between.
import type { Sliced } from "../slices.ts";

export const SORTED_AT_ONCE = 2000;

/** A merge sort that can be left for a while. */
export function* mergeSorted<T>(items: readonly T[], order: (a: T, b: T) => number): Sliced<T[]> {
  if (items.length <= SORTED_AT_ONCE) return [...items].sort(order);
  const half = items.length >> 1;
  const left = yield* mergeSorted(items.slice(0, half), order);
  const right = yield* mergeSorted(items.slice(half), order);
  const merged: T[] = [];
  let l = 0;
  for (const item of right) {
    for (let next = left[l]; l < left.length && order(next as T, item) <= 0; next = left[l]) {
      merged.push(next as T);
      l += 1;
      if (merged.length % SORTED_AT_ONCE === 0) yield;
    }
    merged.push(item);
    if (merged.length % SORTED_AT_ONCE === 0) yield;
  }
  return merged.concat(left.slice(l));
}
