// The clock of a world: it stands still while anything can go on, and skips to the next instant at which something is due.
import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import timersPromises, { setImmediate as turn } from "node:timers/promises";

/** Code that waits for nothing but promises and streams goes on within one turn of the event loop. */
const TURNS = 3;

/** What is due, for people, and whose it is. */
export interface DueWork {
  readonly at: number;
  readonly run: () => void;
  /** The process whose memory it stands in: it is lost with that process. Undefined: a broker, an engine or a service keeps it. */
  readonly owner: string | undefined;
}

interface Due extends DueWork {
  at: number;
}

/** What code that runs inside a world finds there instead of the process's own. */
interface Surroundings {
  readonly time: VirtualTime;
  readonly process: string | undefined;
  /** Between 0 and 1, the same in each run. */
  readonly random: () => number;
}

export class VirtualTime {
  #now: number;
  #agenda: Due[] = [];
  #made = 0;
  readonly #random: () => number;
  /** By how much each process's clock is ahead, in milliseconds; less than nothing: behind. */
  readonly ahead = new Map<string, number>();

  /** @param startMs milliseconds since 1970 */
  constructor(startMs: number, seed: number) {
    this.#now = startMs;
    this.#random = randomFrom(seed);
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#now;
  }

  /** The same as the clock of the process shows it whose code asks. */
  get shown(): number {
    return this.#now + (this.ahead.get(this.process ?? "") ?? 0);
  }

  /** The process whose code asks; undefined for a service, an operator or the test. */
  get process(): string | undefined {
    return surroundings.getStore()?.process;
  }

  /** The next instant at which something is due; undefined where nothing is. */
  get nextAt(): number | undefined {
    return this.#agenda[0]?.at;
  }

  /** Runs it once that instant has come, and answers how to take it off the agenda. It is lost if the process that waits for it is killed. */
  at(at: number, run: () => void): () => void {
    return this.#add(at, AsyncLocalStorage.bind(run), surroundings.getStore()?.process);
  }

  /** The same for what no process keeps in its memory. */
  atAllEvents(at: number, run: () => void): () => void {
    return this.#add(at, run, undefined);
  }

  #add(at: number, run: () => void, owner: string | undefined): () => void {
    this.#made += 1;
    const due = { at: Math.max(at, this.#now), run, owner };
    const behind = this.#agenda.findIndex((other) => other.at > due.at);
    this.#agenda.splice(behind === -1 ? this.#agenda.length : behind, 0, due);
    return () => {
      this.#made += 1;
      this.#agenda = this.#agenda.filter((other) => other !== due);
    };
  }

  /** Skips to the next instant at which something is due, and does the first thing of it. */
  fireNext(): DueWork | undefined {
    const next = this.#agenda.shift();
    if (!next) return undefined;
    this.skipTo(next.at);
    next.run();
    return next;
  }

  /** Removes what that process waits for: nothing of it goes on. */
  dropOf(process: string): void {
    this.#made += 1;
    this.#agenda = this.#agenda.filter(({ owner }) => owner !== process);
  }

  skipTo(at: number): void {
    this.#now = Math.max(this.#now, at);
  }

  /** Waits until nothing goes on any more but with time. */
  async settled(): Promise<void> {
    let before: number;
    do {
      before = this.#made;
      for (let turns = 0; turns < TURNS; turns += 1) await turn();
    } while (before !== this.#made);
  }

  /** Runs code whose timers are this clock's: `setTimeout`, `setInterval` and those of `node:timers/promises`. `Date` stays the process's. */
  inside<T>(run: () => T, process?: string): T {
    return surroundings.run({ time: this, process, random: this.#random }, run);
  }
}

const surroundings = new AsyncLocalStorage<Surroundings>();
let installed = 0;
let uninstall = (): void => {};

/** Has timers of code that runs inside a world be the world's, as long as `run` takes. Other code keeps the process's. */
export async function withVirtualTimers<T>(run: () => Promise<T>): Promise<T> {
  if (installed === 0) uninstall = install();
  installed += 1;
  try {
    return await run();
  } finally {
    installed -= 1;
    if (installed === 0) uninstall();
  }
}

/** What `setTimeout` answers inside a world. */
class VirtualTimer {
  readonly #cancel: () => void;
  constructor(cancel: () => void) {
    this.#cancel = cancel;
  }
  close(): this {
    this.#cancel();
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

type Callback = (...args: unknown[]) => void;

function install(): () => void {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { random } = Math;
  const { setTimeout: sleep } = timersPromises;
  const clear = (own: (timer: never) => void) => (timer: unknown) =>
    timer instanceof VirtualTimer ? void timer.close() : own(timer as never);
  Object.assign(globalThis, {
    setTimeout: (callback: Callback, ms = 0, ...args: unknown[]) => {
      const time = surroundings.getStore()?.time;
      if (!time) return setTimeout(callback, ms, ...args);
      const bound = AsyncLocalStorage.bind(() => callback(...args));
      return new VirtualTimer(time.at(time.now + delay(ms), bound));
    },
    setInterval: (callback: Callback, ms = 0, ...args: unknown[]) => {
      const time = surroundings.getStore()?.time;
      if (!time) return setInterval(callback, ms, ...args);
      const bound = AsyncLocalStorage.bind(() => {
        cancel = time.at(time.now + delay(ms), bound);
        callback(...args);
      });
      let cancel = time.at(time.now + delay(ms), bound);
      return new VirtualTimer(() => cancel());
    },
    clearTimeout: clear(clearTimeout),
    clearInterval: clear(clearInterval),
  });
  Math.random = () => (surroundings.getStore()?.random ?? random)();
  timersPromises.setTimeout = ((ms?: number, value?: unknown, options: { signal?: AbortSignal } = {}) => {
    const time = surroundings.getStore()?.time;
    return time ? pause(time, ms, value, options.signal) : sleep(ms, value, options);
  }) as typeof sleep;
  syncBuiltinESMExports();
  return () => {
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
    Math.random = random;
    timersPromises.setTimeout = sleep;
    syncBuiltinESMExports();
  };
}

/** As Node has it: none is shorter than a millisecond. */
const delay = (ms: number) => Math.max(1, ms || 0);

function pause(time: VirtualTime, ms = 0, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(new DOMException("The operation was aborted", "AbortError"));
    };
    const cancel = time.at(time.now + delay(ms), () => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The generator "mulberry32": small, and good enough for pauses. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
