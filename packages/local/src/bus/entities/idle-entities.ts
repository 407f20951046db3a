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
    const entities = [...this.#catalog.all()];
    for (const entity of entities) {
      if (entity.row.kind !== "subscription" && this.#hasChanged(entity)) this.use(entity.queue);
    }
    const idle = entities.filter((entity) => this.#idleMs(entity) >= entity.queue.settings.idleMs);
    for (const { row } of idle) await this.#catalog.delete(row.name);
    return idle.map(({ row }) => row.name);
  }

  /** Messages came or went without a link: by forwarding, or when their time was over. What a topic takes is in its subscriptions. */
  #hasChanged(entity: Entity): boolean {
    const counts = JSON.stringify([entity, ...this.#partsOf(entity)].map(({ queue }) => queue.count()));
    const before = this.#counts.get(entity.queue);
    this.#counts.set(entity.queue, counts);
    return before !== undefined && before !== counts;
  }

  #idleMs(entity: Entity): number {
    if (entity.queue.count().scheduled > 0) return 0;
    // A subscription that is used is a use of its topic.
    const all = [entity, ...this.#partsOf(entity)];
    const queues = all.flatMap(({ queue }) => [queue, queue.deadLetter]);
    const used = queues.map((queue) => (queue && this.#usedAt.get(queue)) ?? 0);
    return this.#now() - Math.max(this.#startedAt, ...all.map(({ row }) => row.updatedAt), ...used);
  }

  #partsOf({ row }: Entity): Entity[] {
    return row.kind === "topic" ? this.#catalog.list("subscription", row.name) : [];
  }
}
