// COUNT, SUM, AVG, MIN and MAX as accumulators.
import { compareValues, type Value } from "./values.ts";

export interface Aggregate {
  /** `times` documents have this value. */
  add(value: Value, times: number): void;
  result(): Value;
}

/** SUM and AVG of anything that is not a number are undefined; what is undefined itself does not count. */
function summing(finish: (sum: number, count: number) => Value): Aggregate {
  let sum = 0;
  let count = 0;
  let numbers = true;
  return {
    add(value, times) {
      if (value === undefined) return;
      if (typeof value !== "number") numbers = false;
      else sum += value * times;
      count += times;
    },
    result: () => (numbers ? finish(sum, count) : undefined),
  };
}

function extreme(better: (order: number) => boolean): Aggregate {
  let best: Value;
  return {
    add(value) {
      if (value === undefined || (typeof value === "object" && value !== null)) return;
      if (best === undefined || better(compareValues(value, best))) best = value;
    },
    result: () => best,
  };
}

function counting(): Aggregate {
  let count = 0;
  return {
    add(value, times) {
      if (value !== undefined) count += times;
    },
    result: () => count,
  };
}

const AGGREGATES = new Map<string, () => Aggregate>([
  ["COUNT", counting],
  ["SUM", () => summing((sum) => sum)],
  ["AVG", () => summing((sum, count) => (count === 0 ? undefined : sum / count))],
  ["MIN", () => extreme((order) => order < 0)],
  ["MAX", () => extreme((order) => order > 0)],
]);

export function aggregateNamed(name: string): (() => Aggregate) | undefined {
  return AGGREGATES.get(name);
}
