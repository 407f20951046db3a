// Whether the gauges are measured: alerts on what nobody measures stay silent, and what stays silent looks well.

/** What the timer says of itself after each of its runs. Instants are ISO 8601 in UTC. */
export interface GaugesSign {
  readonly at: string;
  /** Null where its schedule is shorter than a minute: the platform does not say then. */
  readonly nextAt: string | null;
  /** Since when something could not be measured in each run, and what; null if all was. */
  readonly failing: { readonly since: string; readonly fault: string } | null;
}

export interface GaugesFreshness {
  /** Null if it has never run. */
  readonly lastAt: string | null;
  readonly isLate: boolean;
  /** One run in vain is no trouble yet. */
  readonly failing: GaugesSign["failing"];
}

const MINUTE_MS = 60_000;
/** Of a timer that was never seen, and may be a slow one. */
const LONGEST_USUAL_MS = 5 * MINUTE_MS;

interface Run extends Pick<GaugesSign, "at" | "nextAt"> {
  /** What could not be measured. */
  readonly fault: string | undefined;
}

/** @param before the sign of the run before */
export function signAfter(before: GaugesSign | undefined, { at, nextAt, fault }: Run): GaugesSign {
  const failing = fault === undefined ? null : { since: before?.failing?.since ?? at, fault };
  return { at, nextAt, failing };
}

/** @param upSince since when this process could have seen a run: after a stop of the whole app the last one is old */
export function gaugesFreshness(sign: GaugesSign | undefined, now: number, upSince: number): GaugesFreshness {
  const lastMs = sign ? Date.parse(sign.at) : upSince;
  const everyMs = !sign ? LONGEST_USUAL_MS : sign.nextAt === null ? MINUTE_MS : Date.parse(sign.nextAt) - lastMs;
  return {
    lastAt: sign?.at ?? null,
    isLate: now - Math.max(lastMs, upSince) > everyMs + MINUTE_MS,
    failing: sign?.failing && sign.failing.since < sign.at ? sign.failing : null,
  };
}

/** What is wrong, with its begin if that is known: the same in the console and in the terminal. */
export function gaugesTroubles(
  freshness: GaugesFreshness | undefined,
): { readonly since: string | null; readonly words: string }[] {
  // An app of another version.
  if (!freshness) return [{ since: null, words: "Whether the gauges are measured is not known" }];
  const { lastAt, isLate, failing } = freshness;
  if (isLate)
    return [{ since: lastAt, words: "The gauges' timer does not run: alerts on what it measures stay silent" }];
  return failing
    ? [{ since: failing.since, words: `The gauges' timer can't do all of its work: ${failing.fault}` }]
    : [];
}
