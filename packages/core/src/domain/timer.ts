// Timers of any length. Node's own fire at once beyond 2^31 - 1 milliseconds, which is 25 days: a pause that a service asks for may be longer.

const LONGEST_MS = 2 ** 31 - 1;

export interface Timer {
  readonly end: () => void;
}

interface TimerOptions {
  /** It does not keep the process alive. */
  readonly isIdle?: boolean;
}

/** @param ms below 0, and what is no number, as 0 */
export function startTimer(ms: number, run: () => void, { isIdle = false }: TimerOptions = {}): Timer {
  let timer: NodeJS.Timeout;
  const start = (leftMs: number) => {
    const nowMs = Math.min(leftMs, LONGEST_MS);
    // biome-ignore lint/style/noRestrictedGlobals: this is the one.
    timer = setTimeout(() => (leftMs > nowMs ? start(leftMs - nowMs) : run()), nowMs);
    if (isIdle) timer.unref();
  };
  start(ms > 0 ? ms : 0);
  return { end: () => clearTimeout(timer) };
}

/** Resolves after that time, or as soon as the signal aborts. */
export function sleep(ms: number, { signal, ...options }: TimerOptions & { readonly signal?: AbortSignal } = {}) {
  return new Promise<void>((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      timer.end();
      resolve();
    };
    const timer = startTimer(
      ms,
      () => {
        signal?.removeEventListener("abort", end);
        resolve();
      },
      options,
    );
    signal?.addEventListener("abort", end, { once: true });
  });
}
