// Estimates from a sample of the newest entries: their rate, and their duration.

export interface Rate {
  readonly count: number;
  /** The time in which this number was found, in milliseconds. */
  readonly overMs: number;
}

/**
 * @param instants the newest first, no more than `limit`, of the last `windowMs`
 * @param limit if this number was found, they cover the time since the oldest of them, and not the whole window
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
