// The core of the bus: finds what an address names, and has the one clock tick that moves everything.

import { EntityCatalog } from "./entities/entity-catalog.ts";
import { deadLetterOwner } from "./entities/entity-path.ts";
import { BodyCache } from "./queue/body-cache.ts";
import type { Queue } from "./queue/queue.ts";
import type { Store } from "./queue/store.ts";
import type { OperationCounts, Surroundings } from "./queue/surroundings.ts";

const TICK_MS = 20;

export class Broker {
  readonly counts: OperationCounts = {
    sends: 0,
    deliveries: 0,
    completes: 0,
    abandons: 0,
    deadLetters: 0,
    renews: 0,
    connections: 0,
  };
  readonly catalog: EntityCatalog;
  readonly #ticking: NodeJS.Timeout;

  constructor(store: Store, now: () => number) {
    let lastDuplicateId = store.lastDuplicateId();
    const around: Surroundings = {
      store,
      bodies: new BodyCache(store),
      counts: this.counts,
      now,
      newDuplicateId: () => {
        lastDuplicateId += 1;
        return lastDuplicateId;
      },
      find: (path) => this.catalog.get(path)?.queue,
    };
    this.catalog = new EntityCatalog(store, around);
    this.catalog.restore();
    this.#ticking = setInterval(() => this.tick(), TICK_MS);
  }

  /** A queue, or the dead-letter queue of one. */
  find(address: string): Queue | undefined {
    const owner = deadLetterOwner(address);
    return owner === undefined ? this.catalog.get(address)?.queue : this.catalog.get(owner)?.queue.deadLetter;
  }

  tick(): void {
    for (const { queue } of this.catalog.all()) queue.tick();
  }

  close(): void {
    clearInterval(this.#ticking);
  }
}
