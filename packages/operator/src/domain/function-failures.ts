// Whether a function fails again and again, in all processes of the app together: as the alert function-failures sees it.

const WINDOW_MS = 15 * 60_000;
const TOO_MANY = 5;
/** In succession: then it works again in this process. */
const WELL_AFTER = 2;

interface Failure {
  /** The function's. */
  readonly name: string;
  readonly process: string;
  readonly at: string;
  /** The process has run it well since. */
  readonly isOver: boolean;
}

/** The last ones of each function. */
export type FunctionFailures = readonly Failure[];

export function withFailure(failures: FunctionFailures, failure: Omit<Failure, "isOver">, now: number) {
  const recent = failures.filter(({ at }) => now - Date.parse(at) < WINDOW_MS);
  const own = recent.filter(isOf(failure.name)).slice(1 - TOO_MANY);
  const others = recent.filter(({ name }) => name !== failure.name);
  return [...others, ...own, { ...failure, isOver: false }];
}

export const withWell = (failures: FunctionFailures, name: string, process: string): FunctionFailures =>
  failures.map((one) => (one.name === name && one.process === process ? { ...one, isOver: true } : one));

export const isFailing = (failures: FunctionFailures, name: string): boolean =>
  failures.filter(isOf(name)).length >= TOO_MANY;

/** In each process that it has failed in. */
export const isOver = (failures: FunctionFailures, name: string): boolean =>
  failures.filter(isOf(name)).every((one) => one.isOver);

const isOf =
  (name: string) =>
  (failure: Failure): boolean =>
    failure.name === name;

/** What a run in this process says of its function: nothing while it runs well. */
export function createFunctionRuns(): (name: string, isFailure: boolean) => "failed" | "well" | undefined {
  const wellSince = new Map<string, number>();
  return (name, isFailure) => {
    if (isFailure) {
      wellSince.set(name, 0);
      return "failed";
    }
    const before = wellSince.get(name);
    if (before === undefined) return undefined;
    wellSince.set(name, before + 1);
    if (before + 1 < WELL_AFTER) return undefined;
    wellSince.delete(name);
    return "well";
  };
}
