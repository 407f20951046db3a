// Repeats of one measurement as one value with its spread.

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Of an even number of values the mean of the two in the middle. Of none, NaN. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const half = sorted.length / 2;
  return {
    median: (at(Math.ceil(half) - 1) + at(Math.floor(half))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** `12.3 (11.9 to 13)`; of one value only that one. */
export function shown({ median, least, most }: Spread): string {
  const all = [median, least, most].map((value) => Math.round(value * 100) / 100);
  return least === most ? String(all[0]) : `${all[0]} (${all[1]} to ${all[2]})`;
}
