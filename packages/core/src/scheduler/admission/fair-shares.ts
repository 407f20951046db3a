// Fairness between the keys of jobs (P31), as Temporal's task queues have it: a key is an owner, or a member of the content.
// A key alone may take all places in flight. While other keys are active, it holds at most its share, and a key that holds less than its fair part
// waits for no place: the burst of one leaves room for the others.

/** What the places in flight are divided by. */
export interface Fairness {
  /** The jobs in flight by key, counted where all processes see them. Throws if the store is unavailable. */
  readonly countByKey: () => Promise<ReadonlyMap<string, number>>;
  /** The part of the places in flight that a key may hold while others are active. */
  readonly share: number;
}

/**
 * `usual`: nobody else is active. `owed`: it holds less than its fair part. `within`: it holds less than it may. `count`: another process may have
 * taken the rest of its share, and it has to be counted again. `beyond`: it has to wait.
 */
type ShareUse = "usual" | "owed" | "within" | "count" | "beyond";

export interface FairShares {
  /** The jobs in flight, by key. */
  counted(held: ReadonlyMap<string, number>): void;
  /** A job of the key asks for a place: from now on the key is active. */
  asked(key: string): void;
  useOf(key: string): ShareUse;
  /** How many jobs of the key this process may take in at once. */
  atOnce(key: string): number;
  /** A job of the key has got a place. */
  took(key: string): void;
  /** In how many milliseconds a job that has to wait should be looked at again: behind those of its key that wait already. */
  backIn(key: string): number;
}

/** A key is active for this time after its last job asked, and as long as it has jobs in flight. */
const ACTIVE_MS = 60_000;
/** Every process admits by its own count, so each takes only a part of the share that it finds. */
const PART_OF_SHARE = 0.25;
/**
 * Jobs that one process takes in at once. Work that is taken in is done in the sequence in which it came, by the processes as by the engine: the fewer
 * of one key are taken in at once, the sooner those of others have their turn. A process with slow neighbours then takes in less, by itself.
 */
const TAKEN_IN_AT_ONCE = 8;
const FIRST_BACK_MS = 1000;
const LAST_BACK_MS = 60_000;
/** Between two jobs of a key, while it is not known how fast its jobs end. */
const USUAL_INTERVAL_MS = 20;
const LONGEST_INTERVAL_MS = 1000;
const SMOOTHING = 0.1;

interface KeyState {
  askedAt: number;
  tookAt: number | undefined;
  /** The time between two admissions of the key in this process. */
  intervalMs: number;
  /** When the last of its jobs that were sent back is looked at again. */
  lastBackAt: number;
}

/** @param places how many jobs may be in flight now; at most `limit` */
export function createFairShares(share: number, limit: number, places: () => number, now: () => number): FairShares {
  const keys = new Map<string, KeyState>();
  let held: ReadonlyMap<string, number> = new Map();
  let taken = new Map<string, number>();

  function stateOf(key: string): KeyState {
    const known = keys.get(key);
    if (known) return known;
    const state = { askedAt: now(), tookAt: undefined, intervalMs: USUAL_INTERVAL_MS, lastBackAt: 0 };
    keys.set(key, state);
    return state;
  }

  function forgetInactive(): void {
    for (const [key, { askedAt, lastBackAt }] of keys) {
      if (now() - Math.max(askedAt, lastBackAt) > ACTIVE_MS) keys.delete(key);
    }
  }

  function othersOf(key: string): Set<string> {
    const others = new Set([...keys.keys(), ...held.keys()]);
    others.delete(key);
    return others;
  }

  return {
    counted(byKey) {
      held = byKey;
      taken = new Map();
      forgetInactive();
    },
    asked(key) {
      stateOf(key).askedAt = now();
    },
    useOf(key) {
      const others = othersOf(key);
      if (others.size === 0) return "usual";
      const most = Math.max(1, Math.floor(share * limit));
      const [before, since] = [held.get(key) ?? 0, taken.get(key) ?? 0];
      if (before >= most) return "beyond";
      if (since >= Math.max(1, (most - before) * PART_OF_SHARE)) return "count";
      return before + since + 1 <= places() / (others.size + 1) ? "owed" : "within";
    },
    atOnce(key) {
      if (othersOf(key).size === 0) return Number.POSITIVE_INFINITY;
      return Math.max(1, Math.round(share * TAKEN_IN_AT_ONCE));
    },
    took(key) {
      taken.set(key, (taken.get(key) ?? 0) + 1);
      const state = stateOf(key);
      if (state.tookAt !== undefined) {
        const interval = Math.min(now() - state.tookAt, LONGEST_INTERVAL_MS);
        state.intervalMs += (interval - state.intervalMs) * SMOOTHING;
      }
      state.tookAt = now();
    },
    backIn(key) {
      const state = stateOf(key);
      const next = Math.max(now() + FIRST_BACK_MS, state.lastBackAt + state.intervalMs);
      state.lastBackAt = Math.min(next, now() + LAST_BACK_MS);
      return state.lastBackAt - now();
    },
  };
}

/** The jobs that this process takes in at this moment, by fairness key: from their admission until they are claimed. */
export interface Turns {
  taken(key: string): number;
  /** @returns what ends the turn */
  take(key: string): () => void;
  /** Resolves when a turn of the key ends. */
  next(key: string): Promise<void>;
}

export function createTurns(): Turns {
  const taken = new Map<string, number>();
  const ends = new Map<string, PromiseWithResolvers<void>>();

  function end(key: string): void {
    const left = (taken.get(key) ?? 1) - 1;
    if (left > 0) taken.set(key, left);
    else taken.delete(key);
    ends.get(key)?.resolve();
    ends.delete(key);
  }

  return {
    taken: (key) => taken.get(key) ?? 0,
    take(key) {
      taken.set(key, (taken.get(key) ?? 0) + 1);
      let hasEnded = false;
      return () => {
        if (!hasEnded) end(key);
        hasEnded = true;
      };
    },
    next(key) {
      const waited = ends.get(key) ?? Promise.withResolvers<void>();
      ends.set(key, waited);
      return waited.promise;
    },
  };
}
