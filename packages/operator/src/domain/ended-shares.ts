// Whether too many of the jobs that end do so in a way that an alert watches for, as one process sees it: what it ended itself.

const MINUTE_MS = 60_000;
const HOUR = 60;

interface Minute {
  readonly minute: number;
  all: number;
  bad: number;
}

type Counted = Pick<Minute, "all" | "bad">;

/** Counts each end of the last hour. @returns how many there were in the last minutes, and how many of them bad */
function createCounts(): (isBad: boolean, now: number) => (within: number) => Counted {
  let minutes: Minute[] = [];
  return (isBad, now) => {
    const minute = Math.floor(now / MINUTE_MS);
    minutes = minutes.filter((one) => one.minute > minute - HOUR);
    let last = minutes.at(-1);
    if (last?.minute !== minute) {
      last = { minute, all: 0, bad: 0 };
      minutes.push(last);
    }
    last.all += 1;
    if (isBad) last.bad += 1;
    return (within) => {
      const counted = minutes.filter((one) => one.minute > minute - within);
      const sum = (of: keyof Counted) => counted.reduce((sofar, each) => sofar + each[of], 0);
      return { all: sum("all"), bad: sum("bad") };
    };
  };
}

const share = ({ all, bad }: Counted): number => bad / all;

/** The alert slo-critical-time over its shorter times: the objective, of which 1 % may be missed, used up 14.4 times too fast. */
const OBJECTIVE = { withinMs: 60_000, most: 0.01 * 14.4, fewest: 10, short: 5 };

/** @returns whether too many were too slow, in the last hour and in the last minutes */
export function createCriticalTimes(): (criticalMs: number, now: number) => boolean {
  const countsOf = createCounts();
  const { withinMs, most, fewest, short } = OBJECTIVE;
  return (criticalMs, now) => {
    const within = countsOf(criticalMs > withinMs, now);
    return within(HOUR).all >= fewest && share(within(HOUR)) >= most && share(within(short)) >= most;
  };
}

/** The alert jobs-not-done, where hardly any are usual. */
const NOT_DONE = { fewest: 20, most: 0.03 };

/** @returns whether too many of the last hour were compensated, whatever the cause */
export function createNotDone(): (isCompensated: boolean, now: number) => boolean {
  const countsOf = createCounts();
  return (isCompensated, now) => {
    const lastHour = countsOf(isCompensated, now)(HOUR);
    return lastHour.bad >= NOT_DONE.fewest && share(lastHour) >= NOT_DONE.most;
  };
}
