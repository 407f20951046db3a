// All entities of the namespace: found by path, created, set anew at a start, and deleted.

import type { Queue } from "../queue/queue.ts";
import { parseSettings, type QueueSettings } from "../queue/queue-settings.ts";
import type { Store } from "../queue/store.ts";
import type { Surroundings } from "../queue/surroundings.ts";
import { Entity, type EntityChange } from "./entity.ts";
import { isEntityName } from "./entity-path.ts";
import { entityQuotaFault, QuotaExceeded } from "./quotas.ts";

export class EntityCatalog {
  readonly #entities = new Map<string, Entity>();
  readonly #store: Store;
  readonly #around: Surroundings;
  /** The links of an entity that goes have to be closed. */
  onDeleted: (queue: Queue) => void = () => {};

  constructor(store: Store, around: Surroundings) {
    this.#store = store;
    this.#around = around;
  }

  restore(): void {
    for (const row of this.#store.entities.all()) this.#add(new Entity(row, this.#around)).restore(this.#store);
    for (const entity of this.#entities.values()) entity.apply();
  }

  get(path: string): Entity | undefined {
    return this.#entities.get(path.toLowerCase());
  }

  /** In the order of their creation. */
  all(): Entity[] {
    return [...this.#entities.values()];
  }

  /** Why `put` would refuse it. @param alsoThere paths that are about to be made. */
  findFault({ path, properties }: EntityChange, alsoThere: ReadonlySet<string> = new Set()): string | undefined {
    const settings = parseSettings(path, properties);
    if (typeof settings === "string") return settings;
    const present = this.get(path);
    if (!present && !isEntityName(path)) return `${path} is no name of a queue.`;
    const fixed = present && FIXED.find((name) => isOn(present.row.properties[name]) !== isOn(properties[name]));
    if (fixed)
      return `${path}: ${fixed} cannot be changed: it is fixed when the queue is created. Delete the queue first.`;
    return this.#findTargetFault(path, settings, alsoThere);
  }

  /** Creates the entity, or sets an existing one's properties. Throws if `findFault` finds one, and a QuotaExceeded. */
  async put(change: EntityChange, alsoThere?: ReadonlySet<string>): Promise<void> {
    const fault = this.findFault(change, alsoThere);
    if (fault) throw new Error(fault);
    const present = this.get(change.path);
    const full = present ? undefined : (this.#store.roomFault() ?? entityQuotaFault(change.properties, this.all()));
    if (full !== undefined) throw new QuotaExceeded(full);
    const entity = present ?? this.#create(change);
    const updatedAt = this.#around.now();
    entity.row = { ...entity.row, properties: change.properties, updatedAt };
    const { entities } = this.#store;
    const written = this.#store.commit(() => {
      // Other work of this turn may have reserved more.
      entities.put({ ...entity.row, nextSequence: entity.queue.reservedTo });
    });
    entity.apply();
    await written;
  }

  async delete(path: string): Promise<boolean> {
    const entity = this.get(path);
    if (!entity) return false;
    const { row, queue } = entity;
    this.#entities.delete(row.name.toLowerCase());
    queue.close();
    this.onDeleted(queue);
    await this.#store.commit(() => this.#store.deleteEntity(row.number));
    return true;
  }

  /** Why the entity takes no message: the disk is full, or it is as large as it may be. */
  sizeFault({ name, number, settings }: Queue): string | undefined {
    const full = this.#store.roomFault();
    if (full !== undefined) return full;
    if (!this.#store.holds(number, settings.mostBytes, this.#around.now())) return undefined;
    return `'${name}' is full: it holds ${settings.mostBytes} bytes at most.`;
  }

  #create({ path, properties }: EntityChange): Entity {
    const number = Math.max(0, ...this.all().map(({ row }) => row.number)) + 1;
    const now = this.#around.now();
    const row = { number, name: path, properties, createdAt: now, updatedAt: now, nextSequence: 1 };
    return this.#add(new Entity(row, this.#around));
  }

  #add(entity: Entity): Entity {
    this.#entities.set(entity.row.name.toLowerCase(), entity);
    return entity;
  }

  /** The entity to forward to has to exist when it is set (Service Bus documentation, "Chaining entities"). */
  #findTargetFault(path: string, settings: QueueSettings, alsoThere: ReadonlySet<string>): string | undefined {
    for (const target of [settings.forwardTo, settings.forwardDeadLettersTo]) {
      if (target === undefined) continue;
      if (target.toLowerCase() === path.toLowerCase()) return `${path} cannot forward to itself.`;
      const isThere = this.#around.find(target) || alsoThere.has(target.toLowerCase());
      if (!isThere) return `${path} cannot forward to ${target}: there is no such queue.`;
    }
    return undefined;
  }
}

const FIXED = ["requiresSession", "requiresDuplicateDetection", "enablePartitioning"];
const isOn = (value: unknown) => value === true;
