// The processes of a world: what each has in hand, and what becomes of it when one is killed, and when a message is late or comes twice.
import { isThrown, Outage } from "@scheduler-agent-supervisor/core/domain";
import type { Outages } from "./outages.ts";
import type { VirtualTime } from "./virtual-time.ts";

export const SUBMISSION = "submission";
export const SCHEDULER = "scheduler";
export const SUPERVISOR = "supervisor";

/** A killed process is replaced after so long; then whatever it had in hand is delivered again, as by a broker whose lock runs out. */
const REPLACED_AFTER_MS = 30_000;
/** A message that can't be worked on during an outage comes again after so long: see functions/hold-message.ts. */
const HELD_MS = 2000;

/** While it is away, nobody gets what it hands out. */
const HANDED_OUT_BY = { message: "bus", activity: "engine", turn: "engine" } as const;

export interface Delivery {
  /** `message`: of the broker; `activity`, `turn`: of the durable engine. */
  readonly kind: "message" | "activity" | "turn";
  /** The process that takes it. */
  readonly to: string;
  readonly jobId: string;
  /** In words. */
  readonly what: string;
}

/** What waits for its process. */
export interface InFlight extends Delivery {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** @param at milliseconds since 1970 */
export type Deliver = (delivery: Delivery, work: () => Promise<void>, at: number) => void;

interface Item {
  readonly delivery: Delivery;
  readonly work: () => Promise<void>;
}

interface Waiting extends Item {
  readonly id: number;
  at: number;
  cancel: () => void;
}

type Begin = (work: () => Promise<void>, process: string) => void;

export class Processes {
  /** Each message and each activity comes twice from now on. A turn does not: the engine locks an orchestration. */
  isEachTwice = false;
  readonly #time: VirtualTime;
  readonly #begin: Begin;
  readonly #outages: Outages;
  readonly #waiting = new Map<number, Waiting>();
  readonly #inHand = new Set<Item>();
  readonly #upAt = new Map<string, number>();
  #made = 0;
  #last: InFlight | undefined;

  constructor(time: VirtualTime, outages: Outages, begin: Begin) {
    this.#time = time;
    this.#outages = outages;
    this.#begin = begin;
  }

  /** What waits for its process, the oldest first. */
  get inFlight(): readonly InFlight[] {
    return [...this.#waiting.values()].map(inFlightOf);
  }

  /** What each process has taken up and not ended. */
  get inHand(): readonly Delivery[] {
    return [...this.#inHand].map(({ delivery }) => delivery);
  }

  /** When a killed process is replaced; undefined for one that runs. */
  downUntil(process: string): number | undefined {
    const upAt = this.#upAt.get(process);
    return upAt !== undefined && upAt > this.#time.now ? upAt : undefined;
  }

  /** What was taken up since this was asked last. */
  takeLast(): InFlight | undefined {
    const last = this.#last;
    this.#last = undefined;
    return last;
  }

  readonly deliver: Deliver = (delivery, work, at) => {
    this.#wait({ delivery, work }, at);
    if (this.isEachTwice && delivery.kind !== "turn") this.#wait({ delivery, work }, at);
  };

  /** Nothing that the process does goes on; what it had in hand, and what comes meanwhile, waits for the process that replaces it. */
  kill(process: string): void {
    const upAt = this.#time.now + REPLACED_AFTER_MS;
    this.#upAt.set(process, upAt);
    this.#time.dropOf(process);
    for (const item of this.#inHand) {
      if (item.delivery.to !== process) continue;
      this.#inHand.delete(item);
      this.#wait(item, upAt);
    }
    for (const one of [...this.#waiting.values()]) if (one.delivery.to === process) this.#move(one, one.at);
  }

  /** Nothing is handed out any more by what has just gone away. */
  hold(): void {
    for (const one of [...this.#waiting.values()]) this.#move(one, one.at);
  }

  /** The message comes so much later. */
  delay(id: number, ms: number): void {
    const one = this.#waiting.get(id);
    if (one) this.#move(one, Math.max(one.at, this.#time.now) + ms);
  }

  /** The message comes once more. */
  double(id: number): void {
    const one = this.#waiting.get(id);
    if (one) this.#wait(one, one.at);
  }

  #wait({ delivery, work }: Item, at: number): void {
    this.#made += 1;
    const one: Waiting = { id: this.#made, delivery, work, at, cancel: () => undefined };
    this.#waiting.set(one.id, one);
    this.#move(one, at);
  }

  #move(one: Waiting, at: number): void {
    one.cancel();
    const { to, kind } = one.delivery;
    one.at = Math.max(at, this.#upAt.get(to) ?? at, this.#outages.until(HANDED_OUT_BY[kind]) ?? at);
    one.cancel = this.#time.atAllEvents(one.at, () => this.#take(one));
  }

  #take(one: Waiting): void {
    this.#waiting.delete(one.id);
    this.#last = inFlightOf(one);
    const item = { delivery: one.delivery, work: one.work };
    this.#inHand.add(item);
    const work = async () => {
      try {
        await item.work();
      } catch (cause) {
        if (one.delivery.kind !== "message" || !isThrown(Outage, cause)) throw cause;
        this.#wait(item, this.#time.now + HELD_MS);
      }
      this.#inHand.delete(item);
    };
    this.#begin(work, one.delivery.to);
  }
}

function inFlightOf({ id, at, delivery }: Waiting): InFlight {
  return { ...delivery, id, at };
}
