// Reads that may be stale: as a replica that lags behind answers them, to clients that have not seen anything newer.
import { Snapshot } from "../database/snapshot.ts";
import type { Catalog, Container } from "./catalog.ts";
import type { ItemTable } from "./item-table.ts";
import { HASH_FUNCTIONS } from "./partition-hash.ts";

/** The highest number of a write that a session token names: the client has seen it. A token names each range. */
export function writeSeen(token: string | undefined): number {
  let seen = 0;
  // `0:-1#17`, or with the version of a region, `0:1#17#3=12`.
  for (const [, lsn] of (token ?? "").matchAll(/(?:^|,)[^:,]*:(?:-?\d+#)?(\d+)/g)) seen = Math.max(seen, Number(lsn));
  return seen;
}

export class StaleReads {
  readonly #catalog: Catalog;
  readonly #snapshot: Snapshot;
  readonly #withinMs: number;
  readonly #renewing: NodeJS.Timeout;
  #stale = new Map<Container, Container>();
  #takenAt = 0;
  #count = 0;

  /** @param withinMs nothing is read that is older than this */
  constructor(catalog: Catalog, path: string, withinMs: number) {
    this.#catalog = catalog;
    this.#withinMs = withinMs;
    this.#snapshot = new Snapshot(path);
    for (const [name, run] of Object.entries(HASH_FUNCTIONS)) this.#snapshot.define(name, run);
    this.#renew();
    this.#renewing = setInterval(() => this.#renew(), withinMs);
  }

  /** How many reads were answered from before a write that was acknowledged. */
  get count(): number {
    return this.#count;
  }

  /** The container as it was, where the client has seen nothing newer. */
  of(container: Container, seen: number): Container {
    if (performance.now() - this.#takenAt >= this.#withinMs) this.#renew();
    const stale = this.#stale.get(container);
    if (!stale || stale.items.lsn < seen || container.items.isDropped) return container;
    if (stale.items.lsn < container.items.lsn) this.#count += 1;
    return stale;
  }

  close(): void {
    clearInterval(this.#renewing);
    this.#snapshot.close();
  }

  /** Containers whose definition is new since then are not among them. */
  #renew(): void {
    this.#snapshot.renew();
    this.#takenAt = performance.now();
    const before = this.#stale;
    this.#stale = new Map();
    for (const { containers } of this.#catalog.databases.values()) {
      for (const container of containers.values()) {
        const known = before.get(container)?.items;
        const items: ItemTable = container.items.asOf(this.#snapshot, known);
        this.#stale.set(container, { ...container, items });
      }
    }
  }
}
