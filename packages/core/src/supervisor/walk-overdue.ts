// The supervisor's search for overdue records: the longest overdue first, each record once, as many in parallel as store and bus allow. Records that
// could not be recovered before come last: they must not keep a sweep from the others.

import { instant } from "../domain/duration.ts";
import type { Supervising } from "../scheduler/ports.ts";
import type { Versioned } from "../store/job-store.ts";
import { isThrottled, type Pace } from "./pace.ts";

export interface Walk {
  /** Milliseconds since 1970: a record that is due before this is overdue. */
  readonly before: number;
  readonly pace: Pace;
  /** Called before each record. */
  readonly mayGoOn: () => Promise<boolean>;
  /** Several may run in parallel, each for another record. */
  readonly visit: (due: Versioned) => Promise<Visited>;
}

/** `throttled`: store or bus limited the rate. */
type Visited = "dealt with" | "throttled";

/** They are kept until the others are done. What is more than that is left to the next sweep. */
const MOST_AGAIN = 1000;

/** Jobs past their deadline, due or not, and then what is due. A deadline is decided once, so many of them delay the others only once. */
const SEARCHES = ["pastDeadline", "due"] as const;

/** True when all was seen; false when the time or the leadership ended before. All its visits have ended when it resolves. */
export async function walkOverdue(ports: Supervising, walk: Walk): Promise<boolean> {
  const visits = new Visits(walk);
  const again: Versioned[] = [];
  const visited = async (found: Versioned) => {
    if (!(await walk.mayGoOn())) return false;
    visits.begin(found);
    return visits.room();
  };
  const faults: unknown[] = [];
  try {
    for (const search of SEARCHES) {
      if (search === "pastDeadline" && !ports.workflows.haveDeadlines) continue;
      try {
        if (!(await walkFound(search, again, visited, ports, walk))) return false;
      } catch (cause) {
        // A search without its index fails for ever: it must not keep the sweep from the other.
        faults.push(cause);
      }
    }
    for (const found of again) if (!(await visited(found))) return false;
    if (faults.length > 0) throw faults[0];
    return again.length < MOST_AGAIN;
  } finally {
    await visits.end();
  }
}

/** @param again gets those that could not be recovered before */
async function walkFound(
  search: (typeof SEARCHES)[number],
  again: Versioned[],
  visited: (found: Versioned) => Promise<boolean>,
  { store }: Supervising,
  { before, pace }: Walk,
): Promise<boolean> {
  for (;;) {
    try {
      for await (const found of store[search](instant(before))) {
        if (!found.record.unrecovered) {
          if (!(await visited(found))) return false;
        } else if (again.length < MOST_AGAIN) again.push(found);
      }
      return true;
    } catch (cause) {
      if (!isThrottled(cause)) throw cause;
      // The search must begin again; records that were seen are skipped.
      if (!(await pace.slowDown())) return false;
    }
  }
}

class Visits {
  readonly #walk: Walk;
  readonly #seen = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #slowDowns = 0;
  /** Whether there is time to continue, known after the current pause. */
  #paused: Promise<boolean> = Promise.resolve(true);
  #faults: unknown[] = [];

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  begin(due: Versioned): void {
    const { jobId } = due.record;
    if (this.#seen.has(jobId)) return;
    this.#seen.add(jobId);
    const visited = this.#visit(due).finally(() => this.#underWay.delete(visited));
    this.#underWay.add(visited);
  }

  /** Waits until another visit may begin; false if there is no time left for it. */
  async room(): Promise<boolean> {
    while (this.#underWay.size >= this.#walk.pace.atOnce()) await Promise.race(this.#underWay);
    if (this.#faults.length > 0) return false;
    return this.#paused;
  }

  /** Throws the fault of a visit. */
  async end(): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  async #visit(due: Versioned): Promise<void> {
    const { pace, visit } = this.#walk;
    const slowDowns = this.#slowDowns;
    try {
      const visited = await visit(due);
      // A visit that began before the last slow-down shows nothing about the pace since.
      if (slowDowns !== this.#slowDowns) return;
      if (visited === "dealt with") return pace.goOn();
      this.#slowDowns += 1;
      this.#paused = pace.slowDown();
    } catch (fault) {
      this.#faults.push(fault);
    }
  }
}
