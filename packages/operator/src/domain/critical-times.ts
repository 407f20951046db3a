// Whether the objective of the usual workflow is at risk, as the alert slo-critical-time sees it over its shorter times: of what one process ended.

const MINUTE_MS = 60_000;
const HOUR = 60;
const SHORT = 5;
/** 1 % may take longer; used up 14.4 times too fast. */
const MOST = 0.01 * 14.4;
const FEWEST = 10;
/** The objective. */
const WITHIN_MS = 60_000;

interface Minute {
  readonly minute: number;
  all: number;
  bad: number;
}

/** Counts each end. @returns whether too many were too slow, in the last hour and in the last minutes */
export function createCriticalTimes(): (criticalMs: number, now: number) => boolean {
  let minutes: Minute[] = [];
  return (criticalMs, now) => {
    const minute = Math.floor(now / MINUTE_MS);
    minutes = minutes.filter((one) => one.minute > minute - HOUR);
    let last = minutes.at(-1);
    if (last?.minute !== minute) {
      last = { minute, all: 0, bad: 0 };
      minutes.push(last);
    }
    last.all += 1;
    if (criticalMs > WITHIN_MS) last.bad += 1;
    const within = (count: number) => minutes.filter((one) => one.minute > minute - count);
    const share = (some: readonly Minute[]) => sum(some, "bad") / sum(some, "all");
    return sum(minutes, "all") >= FEWEST && share(minutes) >= MOST && share(within(SHORT)) >= MOST;
  };
}

const sum = (minutes: readonly Minute[], of: "all" | "bad") => minutes.reduce((sofar, each) => sofar + each[of], 0);
