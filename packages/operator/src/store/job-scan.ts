// Searches stored jobs without an index: from the newest to the oldest, in windows of time, up to the limit of a page.

/** A span of the time at which jobs were recorded, in milliseconds since 1970. */
export interface Window {
  /** Excluded. */
  readonly after: number;
  /** Included. */
  readonly upTo: number;
}

export interface Scanned<Row> {
  /** The newest first. */
  readonly found: readonly Row[];
  /** The number of jobs that it has searched. */
  readonly looked: number;
  /** Where the next page continues; null if nothing is left, or more than enough was found. */
  readonly goOnAt: number | null;
}

export interface Scan<Row> {
  /** The number of jobs of the window that an index can't exclude. */
  readonly count: (window: Window) => Promise<number>;
  /** The newest matches of the window, up to the limit. */
  readonly read: (window: Window, most: number) => Promise<readonly Row[]>;
}

const FIRST_SPAN_MS = 2 * 3_600_000;
const GROWTH = 10;
/** Counts are cheap, but not worth it for a page that is almost full. */
const ENOUGH = 0.8;

/**
 * A count comes before each window is read, so that at most `mostLooked` documents are read: the cost of a page does not depend on the number of
 * stored jobs. The exception is more jobs than that within one millisecond.
 * @param wanted this number of rows is enough
 */
export async function scanJobs<Row>(
  { after, upTo }: Window,
  wanted: number,
  mostLooked: number,
  { count, read }: Scan<Row>,
): Promise<Scanned<Row>> {
  const found: Row[] = [];
  let looked = 0;
  let end = upTo;
  let span = FIRST_SPAN_MS;
  /** From here to the end there are more than a page may search. */
  let crowded = Number.NEGATIVE_INFINITY;
  while (end > after) {
    const window = { after: Math.max(after, end - span), upTo: end };
    const size = window.upTo - window.after;
    const left = mostLooked - looked;
    const jobs = await count(window);
    if (jobs > left && size > 1) {
      crowded = window.after;
      span = Math.max(1, Math.floor(size * Math.min(0.5, left / jobs)));
      continue;
    }
    if (jobs > 0) found.push(...(await read(window, wanted - found.length)));
    looked += jobs;
    end = window.after;
    if (found.length >= wanted) return { found, looked, goOnAt: null };
    if (looked >= mostLooked * ENOUGH) return { found, looked, goOnAt: end > after ? end : null };
    const larger = jobs === 0 ? size * GROWTH : size * Math.min(GROWTH, (mostLooked - looked) / jobs);
    span = end > crowded ? Math.max(1, Math.min(larger, Math.ceil((end - crowded) / 2))) : larger;
  }
  return { found, looked, goOnAt: null };
}
