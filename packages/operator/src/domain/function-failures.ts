// Whether a function fails again and again, of what one process has run: as the alert function-failures sees it.

const WINDOW_MS = 15 * 60_000;
const TOO_MANY = 5;
/** In succession: then it works again. */
const WELL_AFTER = 2;

interface Runs {
  failedAt: number[];
  well: number;
  isFailing: boolean;
}

export type Standing = "failing" | "over" | "unchanged";

export function createFunctionFailures(): (name: string, isFailure: boolean, now: number) => Standing {
  const runs = new Map<string, Runs>();
  return (name, isFailure, now) => {
    const own = runs.get(name);
    if (!isFailure) {
      if (!own) return "unchanged";
      own.well += 1;
      if (!own.isFailing || own.well < WELL_AFTER) return "unchanged";
      own.isFailing = false;
      return "over";
    }
    const current = own ?? { failedAt: [], well: 0, isFailing: false };
    current.failedAt = [...current.failedAt.filter((at) => now - at < WINDOW_MS).slice(1 - TOO_MANY), now];
    current.well = 0;
    current.isFailing = current.failedAt.length >= TOO_MANY;
    runs.set(name, current);
    return current.isFailing ? "failing" : "unchanged";
  };
}
