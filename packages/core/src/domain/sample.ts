// What a sample of the newest entries says of all: how many there are in a time, and how long they take.

export interface Rate {
  readonly count: number;
  /** The time in which so many were found, in milliseconds. */
  readonly overMs: number;
}

/**
 * @param instants the newest first, no more than `limit`, of the last `windowMs`
 * @param limit where so many were found, they are all of the time since the oldest of them, and not of the whole window
 */
export function rateOf(instants: readonly string[], limit: number, windowMs: number, now: number): Rate {
  const oldest = instants.at(-1);
  if (oldest === undefined || instants.length < limit) return { count: instants.length, overMs: windowMs };
  return { count: instants.length, overMs: Math.max(1, now - Date.parse(oldest)) };
}

/** The smallest of the values that is at least as large as that share of them (nearest rank). @param values at least one */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
