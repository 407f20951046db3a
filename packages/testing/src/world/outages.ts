// What is away in a world for a while: its store, its bus or its engine. What needs it fails as in the app, or waits for it.
import { Outage } from "@scheduler-agent-supervisor/core/domain";
import { StoreUnavailable } from "@scheduler-agent-supervisor/core/store";
import type { VirtualTime } from "./virtual-time.ts";

export const PARTS = ["store", "bus", "engine"] as const;
type Part = (typeof PARTS)[number];

/** They answer one after the other, so they fail when they are asked for the first. */
const SEARCHES: ReadonlySet<PropertyKey> = new Set(["due", "pastDeadline", "over", "processed", "entries"]);

export class Outages {
  readonly #time: VirtualTime;
  readonly #until = new Map<Part, number>();
  readonly #lost = new Set<Part>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  begin(part: Part, forMs: number): void {
    this.#until.set(part, Math.max(this.#time.now + forMs, this.#until.get(part) ?? 0));
  }

  /** Everything is back. */
  end(): void {
    this.#until.clear();
    this.#lost.clear();
  }

  /** The next call is made, and its answer is lost. */
  loseAnswer(part: Part): void {
    this.#lost.add(part);
  }

  /** When it is back, milliseconds since 1970; undefined while it is there. */
  until(part: Part): number | undefined {
    const until = this.#until.get(part);
    return until !== undefined && until > this.#time.now ? until : undefined;
  }

  /** A port of it: what is called while it is away fails. */
  over<Port extends object>(part: Part, port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => this.#call(part, name, () => Reflect.apply(member, target, given));
      },
    });
  }

  #call(part: Part, name: PropertyKey, call: () => unknown): unknown {
    if (SEARCHES.has(name)) {
      if (this.until(part) !== undefined) throw faultOf(part, name);
      return call();
    }
    return this.#answer(part, name, call);
  }

  async #answer(part: Part, name: PropertyKey, call: () => unknown): Promise<unknown> {
    if (this.until(part) !== undefined) throw faultOf(part, name);
    const answer = await call();
    if (this.#lost.delete(part)) throw faultOf(part, name);
    return answer;
  }
}

function faultOf(part: Part, name: PropertyKey): Error {
  const cause = new Error(`the ${part} of this world is away`);
  if (part === "store") return new StoreUnavailable(String(name), cause);
  return part === "bus" ? new Outage(cause.message) : cause;
}
