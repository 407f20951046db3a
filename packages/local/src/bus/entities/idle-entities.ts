// Deletes entities that nobody used for their `autoDeleteOnIdle`. What counts as use: Service Bus documentation, "Idleness".

import type { Queue } from "../queue/queue.ts";
import type { Entity } from "./entity.ts";
import type { EntityCatalog } from "./entity-catalog.ts";

export class IdleEntities {
  readonly #catalog: EntityCatalog;
  readonly #now: () => number;
  /** A start counts as use: what was used before it is not known. */
  readonly #startedAt: number;
  readonly #usedAt = new WeakMap<Queue, number>();
  readonly #counts = new WeakMap<Queue, string>();

  constructor(catalog: EntityCatalog, now: () => number) {
    this.#catalog = catalog;
    this.#now = now;
    this.#startedAt = now();
  }

  /** A client attaches to it, or asks something of it. */
  use(queue: Queue): void {
    this.#usedAt.set(queue, this.#now());
  }

  /** @param open where clients have links now @returns the paths of what was deleted */
  async sweep(open: Iterable<Queue>): Promise<string[]> {
    for (const queue of open) this.use(queue);
    const entities = this.#catalog.all();
    for (const { queue } of entities) if (this.#hasChanged(queue)) this.use(queue);
    const idle = entities.filter((entity) => this.#idleMs(entity) >= entity.queue.settings.idleMs);
    for (const { row } of idle) await this.#catalog.delete(row.name);
    return idle.map(({ row }) => row.name);
  }

  /** Messages came or went without a link: by forwarding, or when their time was over. */
  #hasChanged(queue: Queue): boolean {
    const counts = JSON.stringify(queue.count());
    const before = this.#counts.get(queue);
    this.#counts.set(queue, counts);
    return before !== undefined && before !== counts;
  }

  #idleMs({ row, queue }: Entity): number {
    if (queue.count().scheduled > 0) return 0;
    const used = [queue, queue.deadLetter].map((one) => (one && this.#usedAt.get(one)) ?? 0);
    return this.#now() - Math.max(this.#startedAt, row.updatedAt, ...used);
  }
}
