// Reads that may be stale: as a replica that lags behind answers them, to clients that have not seen anything newer.
import { Snapshot } from "../database/snapshot.ts";
import type { ItemTable } from "./items/item-table.ts";
import { HASH_FUNCTIONS } from "./partitions/partition-hash.ts";
import type { Catalog } from "./resources/catalog.ts";
import type { Container } from "./resources/container.ts";

/** The highest number of a write that a session token names: the client has seen it. A token names each range. */
export function writeSeen(token: string | undefined): number {
  let seen = 0;
  // `0:-1#17`, or with the version of a region, `0:1#17#3=12`.
  for (const [, lsn] of (token ?? "").matchAll(/(?:^|,)[^:,]*:(?:-?\d+#)?(\d+)/g)) seen = Math.max(seen, Number(lsn));
  return seen;
}

/** As many replicas, each of which lags behind by another part of the time. */
const REPLICAS = 5;

export class StaleReads {
  readonly #catalog: Catalog;
  /** The one that lags furthest behind first. */
  readonly #replicas: Replica[];
  readonly #withinMs: number;
  readonly #renewing: NodeJS.Timeout;
  #count = 0;

  /** @param withinMs nothing is read that is older than this */
  constructor(catalog: Catalog, path: string, withinMs: number) {
    this.#catalog = catalog;
    this.#withinMs = withinMs;
    this.#replicas = Array.from({ length: REPLICAS }, () => new Replica(path, catalog));
    this.#renewing = setInterval(() => this.#renewOldest(), withinMs / REPLICAS);
  }

  /** How many reads were answered from before a write that was acknowledged. */
  get count(): number {
    return this.#count;
  }

  /** The container as the replica has it that lags furthest behind, among those that have all that the client has seen. */
  of(container: Container, seen: number): Container {
    if (container.items.isDropped) return container;
    while ((this.#replicas[0]?.ageMs ?? 0) >= this.#withinMs) this.#renewOldest();
    for (const replica of this.#replicas) {
      const stale = replica.of(container);
      if (!stale || stale.items.lsn < seen) continue;
      if (stale.items.lsn < container.items.lsn) this.#count += 1;
      return stale;
    }
    return container;
  }

  close(): void {
    clearInterval(this.#renewing);
    for (const replica of this.#replicas) replica.close();
  }

  #renewOldest(): void {
    const oldest = this.#replicas.shift();
    if (!oldest) return;
    oldest.renew(this.#catalog);
    this.#replicas.push(oldest);
  }
}

/** All containers as they were at one moment. Those whose definition is new since then are not among them. */
class Replica {
  readonly #snapshot: Snapshot;
  #containers = new Map<Container, Container>();
  #takenAt = 0;

  constructor(path: string, catalog: Catalog) {
    this.#snapshot = new Snapshot(path);
    for (const [name, run] of Object.entries(HASH_FUNCTIONS)) this.#snapshot.define(name, run);
    this.renew(catalog);
  }

  get ageMs(): number {
    return performance.now() - this.#takenAt;
  }

  of(container: Container): Container | undefined {
    return this.#containers.get(container);
  }

  renew(catalog: Catalog): void {
    this.#snapshot.renew();
    this.#takenAt = performance.now();
    const before = this.#containers;
    this.#containers = new Map();
    for (const { containers } of catalog.databases.values()) {
      for (const container of containers.values()) {
        const items: ItemTable = container.items.asOf(this.#snapshot, before.get(container)?.items);
        this.#containers.set(container, { ...container, items });
      }
    }
  }

  close(): void {
    this.#snapshot.close();
  }
}
