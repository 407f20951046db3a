// Keeps count of invocations: what runs now, for the drain and the time limit, and what has run, for /admin/counts.
import { triggerKind } from "./bindings/bindings.ts";
import type { RegisteredFunction } from "./contract.ts";
import { Register } from "./register.ts";

interface RunningInvocation {
  readonly received: boolean;
  readonly functionName: string;
  readonly invocationId: string;
  readonly startedAt: number;
}

export class RunningInvocations {
  /** By the order of their beginning. */
  readonly #running = new Register<number, RunningInvocation>();
  readonly #byTriggerType = new Map<string, number>();
  #received = 0;
  #begun = 0;
  /** Asked whenever one has ended. */
  #check: (() => void) | undefined;

  /** Notes that an invocation begins; the answer is called when it has ended. */
  begin(registered: RegisteredFunction, invocationId: string): () => void {
    const type = registered.trigger.type;
    this.#byTriggerType.set(type, (this.#byTriggerType.get(type) ?? 0) + 1);
    const received = triggerKind(registered) !== "durable";
    const entry = { functionName: registered.name, invocationId, startedAt: performance.now(), received };
    this.#begun += 1;
    const place = this.#begun;
    this.#running.set(place, entry);
    if (received) this.#received += 1;
    return () => {
      this.#running.delete(place);
      if (received) this.#received -= 1;
      this.#check?.();
    };
  }

  /** Invocations since the start, in all and by trigger type, and how many run now. */
  get counts(): Record<string, number> {
    let invocations = 0;
    for (const count of this.#byTriggerType.values()) invocations += count;
    return { invocations, ...Object.fromEntries(this.#byTriggerType), running: this.#running.size };
  }

  /** The invocations that have run for longer than `limitMs`. */
  longerThan(limitMs: number): readonly RunningInvocation[] {
    const before = performance.now() - limitMs;
    return [...this.#running.values()].filter(({ startedAt }) => startedAt < before);
  }

  /**
   * Resolves when no function runs any more that a caller, a message or a clock had triggered, or none at all, at the latest after
   * `timeoutMs`; answers which still run.
   */
  async drained(timeoutMs: number, which: "received" | "all"): Promise<string[]> {
    const left = () => (which === "all" ? this.#running.size : this.#received);
    if (left() > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#check = () => {
          if (left() > 0) return;
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return [...this.#running.values()]
      .filter(({ received }) => received || which === "all")
      .map(({ functionName }) => functionName);
  }
}
