// What keeps a world going: one thing after the other, until nothing is left to do but wait, and then on to the next instant.
import { type Network, onNetwork, withNetworks } from "../services/service-network.ts";
import { SUPERVISOR } from "./processes.ts";
import { type DueWork, type VirtualTime, withVirtualTimers } from "./virtual-time.ts";

export interface Loop {
  readonly time: VirtualTime;
  readonly network: Network;
  /** When the supervisor has to sweep next: milliseconds since 1970; undefined while nothing is due. */
  readonly sweepAt: () => Promise<number | undefined>;
  readonly sweep: () => Promise<void>;
  /** What has just been begun. */
  readonly onBegun: (work: DueWork | "sweep" | undefined) => void;
}

export interface RunLimits {
  /** Goes on no longer than until this holds. */
  readonly isDone?: () => boolean | Promise<boolean>;
  /** Nor past this instant: milliseconds since 1970. The clock stands there afterwards. */
  readonly until?: number;
  /** @throws after so many events, since something goes round and round */
  readonly most: number;
  /** How things stand, in words, for that error. */
  readonly describe: () => string;
}

export class WorldLoop {
  readonly #loop: Loop;
  readonly #faults: unknown[] = [];

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /** Runs something beside all else, inside the world. What it throws ends the run. */
  begin(work: () => Promise<void>, process?: string): void {
    const { time, network } = this.#loop;
    void time.inside(() => onNetwork(network, work), process).catch((cause: unknown) => this.fail(cause));
  }

  /** Ends the run with that error. */
  fail(cause: unknown): void {
    this.#faults.push(cause);
  }

  /** @throws what was thrown in it, and where it does not come to rest within its limits */
  run(limits: RunLimits): Promise<void> {
    return withVirtualTimers(() => withNetworks(() => this.#run(limits)));
  }

  async #run({ isDone = () => false, until = Number.POSITIVE_INFINITY, most, describe }: RunLimits): Promise<void> {
    const { time, sweepAt, sweep, onBegun } = this.#loop;
    for (let events = 0; ; events += 1) {
      await time.settled();
      if (this.#faults.length > 0) throw this.#faults.shift();
      if (await isDone()) return;
      if (events === most) throw new Error(`The world is not at rest after ${most} events. ${describe()}`);
      const [due = Number.POSITIVE_INFINITY, swept = Number.POSITIVE_INFINITY] = [time.nextAt, await sweepAt()];
      const next = Math.min(due, swept);
      if (next > until) time.skipTo(until);
      if (next > until || next === Number.POSITIVE_INFINITY) return;
      if (due <= swept) {
        onBegun(time.fireNext());
      } else {
        time.skipTo(swept);
        onBegun("sweep");
        this.begin(sweep, SUPERVISOR);
      }
    }
  }
}
