// Long work on the one thread that serves everybody: done in slices, between which everybody else has a turn.

const SLICE_MS = 10;

/** Work that yields wherever it may be left for a while. */
export type Sliced<T> = Generator<undefined, T>;

/** The result at once where the first slice is enough. */
export function inSlices<T>(work: Sliced<T>): T | Promise<T> {
  const first = slice(work);
  return first.done ? first.value : goOn(work);
}

/** All of it in one go: for tests, and for what is known to be short. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

async function goOn<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    await turn();
    const step = slice(work);
    if (step.done) return step.value;
  }
}

function slice<T>(work: Sliced<T>): IteratorResult<undefined, T> {
  const until = performance.now() + SLICE_MS;
  let step = work.next();
  while (!step.done && performance.now() < until) step = work.next();
  return step;
}

const waiting: (() => void)[] = [];

/** One slice a turn of the event loop, however many queries are long: so they don't add up to a long turn. */
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
