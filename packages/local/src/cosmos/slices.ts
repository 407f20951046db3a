// Long work on the one thread that serves everybody: done in slices, between which everybody else has a turn.

const SLICE_MS = 10;
/** What a query gets at once although others have used up this turn of the event loop: enough for most. */
const LEAST_MS = 1;

/** Work that yields wherever it may be left for a while. */
export type Sliced<T> = Generator<undefined, T>;

type Run = <T>(work: Sliced<T>) => T | Promise<T>;

/** The result at once where the first slice is enough. */
export const inSlices: Run = slicing(() => performance.now());

/** All of it in one go: for tests, and for what is known to be short. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/**
 * One slice a turn of the event loop, however many queries are long, and their first slices share one: so they don't add
 * up to a long turn.
 * @param now in milliseconds
 */
export function slicing(now: () => number): Run {
  const waiting: (() => void)[] = [];
  let spentMs = 0;

  return (work) => {
    const started = now();
    const first = slice(work, started + Math.max(LEAST_MS, SLICE_MS - spentMs));
    if (spentMs === 0) setImmediate(() => (spentMs = 0));
    spentMs += now() - started;
    return first.done ? first.value : goOn(work);
  };

  async function goOn<T>(work: Sliced<T>): Promise<T> {
    for (;;) {
      await turn();
      const step = slice(work, now() + SLICE_MS);
      if (step.done) return step.value;
    }
  }

  function slice<T>(work: Sliced<T>, until: number): IteratorResult<undefined, T> {
    let step = work.next();
    while (!step.done && now() < until) step = work.next();
    return step;
  }

  function turn(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(takeTurn);
    });
  }

  function takeTurn(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(takeTurn);
  }
}
