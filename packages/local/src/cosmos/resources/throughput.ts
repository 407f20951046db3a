// Holds requests to the throughput of their container, or of the database that shares its own: what is beyond it gets a 429.

import { fault, type Reply } from "../request.ts";
import { isObject, type JsonObject } from "../sql/values.ts";
import type { Catalog } from "./catalog.ts";
import type { Container } from "./container.ts";

interface Budget {
  /** What is left of it, at most one second's worth; below zero after a request that cost more than was left. */
  left: number;
  at: number;
}

export class Throughput {
  readonly #catalog: Catalog;
  readonly #usual: number;
  readonly #now: () => number;
  readonly #budgets = new Map<string, Budget>();

  /** @param usual request units a second of what was given no throughput @param now in milliseconds */
  constructor(catalog: Catalog, usual: number, now: () => number = () => performance.now()) {
    this.#catalog = catalog;
    this.#usual = usual;
    this.#now = now;
  }

  /**
   * The answer where the budget is used up; undefined lets the request in. As in Azure one is let in while anything is left,
   * whatever it then costs.
   */
  refusal(database: string, container: Container): Reply | undefined {
    const { rid, perSecond } = this.#ownerOf(database, container);
    const { left } = this.#budgetOf(rid, perSecond);
    if (left > 0) return undefined;
    const waitMs = Math.max(1, Math.ceil((-left / perSecond) * 1000));
    return fault(
      429,
      "The throughput is used up: nothing was changed.",
      ["x-ms-substatus", "3200", "x-ms-retry-after-ms", String(waitMs)],
      0,
    );
  }

  spend(database: string, container: Container, charge: number): void {
    const { rid, perSecond } = this.#ownerOf(database, container);
    this.#budgetOf(rid, perSecond).left -= charge;
  }

  #ownerOf(database: string, { rid }: Container): { readonly rid: string; readonly perSecond: number } {
    const own = this.#catalog.throughputOf(rid);
    if (own) return { rid, perSecond: mostOf(own) };
    const parent = this.#catalog.databases.get(database);
    const shared = parent && this.#catalog.throughputOf(parent.rid);
    return parent && shared ? { rid: parent.rid, perSecond: mostOf(shared) } : { rid, perSecond: this.#usual };
  }

  #budgetOf(rid: string, perSecond: number): Budget {
    const now = this.#now();
    const known = this.#budgets.get(rid);
    if (!known) {
      const budget = { left: perSecond, at: now };
      this.#budgets.set(rid, budget);
      return budget;
    }
    known.left = Math.min(perSecond, known.left + (perSecond * (now - known.at)) / 1000);
    known.at = now;
    return known;
  }
}

function mostOf({ offerThroughput, offerAutopilotSettings: automatic }: JsonObject): number {
  return Number(isObject(automatic) ? automatic["maxThroughput"] : offerThroughput);
}
