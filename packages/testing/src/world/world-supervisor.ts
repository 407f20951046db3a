// The supervisor's timer in a world. It ticks for ever: here at those ticks alone at which there is something to find.
import { isThrown, Outage } from "@scheduler-agent-supervisor/core/domain";
import { type Context, sweep } from "@scheduler-agent-supervisor/core/scheduling";
import type { MemoryJobStore } from "../memory/memory-job-store.ts";
import type { Outages } from "./outages.ts";
import { type Processes, SUPERVISOR } from "./processes.ts";
import type { VirtualTime } from "./virtual-time.ts";

interface Surroundings {
  readonly store: MemoryJobStore;
  readonly time: VirtualTime;
  readonly outages: Outages;
  readonly processes: Processes;
  readonly context: () => Context;
  /** The first tick: milliseconds since 1970. */
  readonly startMs: number;
  readonly everyMs: number;
}

const FOREVER = "9999-12-31T00:00:00.000Z";

export class WorldSupervisor {
  readonly #in: Surroundings;
  #sweptAt = Number.NEGATIVE_INFINITY;
  /** Its last sweep failed: until one does not, it looks at each tick. */
  #isBlind = false;

  constructor(surroundings: Surroundings) {
    this.#in = surroundings;
  }

  /** When it has to sweep next: milliseconds since 1970; undefined while nothing is due. */
  async nextAt(): Promise<number | undefined> {
    const { time, outages, processes, context, startMs, everyMs } = this.#in;
    const isBlind = this.#isBlind || outages.until("store") !== undefined;
    const first = await this.#firstDueAt();
    if (first === undefined && !isBlind) return undefined;
    const overdueAt = isBlind || first === undefined ? time.now : first + context().timing.clockSkewMs + 1;
    const from = Math.max(overdueAt, this.#sweptAt + 1, time.now, processes.downUntil(SUPERVISOR) ?? 0) - startMs;
    return startMs + Math.ceil(from / everyMs) * everyMs;
  }

  async #firstDueAt(): Promise<number | undefined> {
    const { store } = this.#in;
    const instants: (string | null | undefined)[] = [];
    for await (const { record } of store.due(FOREVER)) {
      instants.push(record.dueAt);
      break;
    }
    for await (const { record } of store.pastDeadline(FOREVER)) {
      instants.push(record.deadlineAt);
      break;
    }
    const [first] = instants.flatMap((at) => at ?? []).sort();
    return first === undefined ? undefined : Date.parse(first);
  }

  async sweep(): Promise<void> {
    this.#sweptAt = this.#in.time.now;
    try {
      await sweep(this.#in.context());
      this.#isBlind = false;
    } catch (cause) {
      if (!isThrown(Outage, cause)) throw cause;
      this.#isBlind = true;
    }
  }
}
