// Holds requests to a rate of request units for each container: what is beyond it gets a 429.

import { fault, type Reply } from "../request.ts";
import type { Container } from "./container.ts";

interface Budget {
  /** What is left of it, at most one second's worth; below zero after a request that cost more than was left. */
  left: number;
  at: number;
}

export class Throughput {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #budgets = new Map<string, Budget>();

  /** @param perSecond request units of each container @param now in milliseconds */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /**
   * The answer where the budget is used up; undefined lets the request in. As in Azure one is let in while anything is left,
   * whatever it then costs.
   */
  refusal(container: Container): Reply | undefined {
    const { left } = this.#budgetOf(container);
    if (left > 0) return undefined;
    const waitMs = Math.max(1, Math.ceil((-left / this.#perSecond) * 1000));
    return fault(
      429,
      "The throughput is used up: nothing was changed.",
      ["x-ms-substatus", "3200", "x-ms-retry-after-ms", String(waitMs)],
      0,
    );
  }

  spend(container: Container, charge: number): void {
    this.#budgetOf(container).left -= charge;
  }

  #budgetOf({ rid }: Container): Budget {
    const now = this.#now();
    const known = this.#budgets.get(rid);
    if (!known) {
      const budget = { left: this.#perSecond, at: now };
      this.#budgets.set(rid, budget);
      return budget;
    }
    known.left = Math.min(this.#perSecond, known.left + (this.#perSecond * (now - known.at)) / 1000);
    known.at = now;
    return known;
  }
}
