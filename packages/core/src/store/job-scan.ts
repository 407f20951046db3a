// Looks through stored jobs that no index finds: from the newest to the oldest, in windows of time, and no further than a page may.

/** A span of the time at which jobs were recorded, in milliseconds since 1970. */
export interface Window {
  /** Not in it. */
  readonly after: number;
  /** In it. */
  readonly upTo: number;
}

export interface Scanned<Row> {
  /** The newest first. */
  readonly found: readonly Row[];
  /** Through how many jobs it has looked. */
  readonly looked: number;
  /** Up to where the next page goes on; null where nothing is left, or more than wanted was found. */
  readonly goOnAt: number | null;
}

export interface Scan<Row> {
  /** How many jobs of the window an index can't rule out. */
  readonly count: (window: Window) => Promise<number>;
  /** The newest of the window that match; at most so many. */
  readonly read: (window: Window, most: number) => Promise<readonly Row[]>;
}

const FIRST_SPAN_MS = 2 * 3_600_000;
const GROWTH = 10;
/** Counts are cheap, but a page that is all but full is worth none. */
const ENOUGH = 0.8;

/**
 * A count comes before each window is read, so that no more than `mostLooked` documents are: what a page costs does not depend on what is stored. The
 * exception are more jobs of one millisecond.
 * @param wanted so many rows are enough
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
  /** From here to the end are more than a page may look through. */
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
