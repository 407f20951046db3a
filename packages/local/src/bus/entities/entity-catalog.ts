// All entities of the namespace: found by path, created, changed and deleted.

import type { Queue } from "../queue/queue.ts";
import { type ArmProperties, type EntityKind, parseSettings, type QueueSettings } from "../queue/queue-settings.ts";
import type { Store } from "../queue/store.ts";
import type { Surroundings } from "../queue/surroundings.ts";
import type { Rule } from "../rules/rule.ts";
import { defaultRule, Entity, type EntityChange } from "./entity.ts";
import { isEntityName, isPartName, splitSubscription } from "./entity-path.ts";
import { entityQuotaFault, filterQuotaFault, QuotaExceeded } from "./quotas.ts";

export interface CatalogListener {
  /** The links of an entity that goes have to be closed. */
  deleted(queue: Queue): void;
  /** Links may no longer be allowed. */
  changed(queue: Queue): void;
}

export class EntityCatalog {
  readonly #entities = new Map<string, Entity>();
  readonly #store: Store;
  readonly #around: Surroundings;
  listener: CatalogListener = { deleted: () => {}, changed: () => {} };

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

  /** In the order of their creation. @param topic whose subscriptions are meant. */
  list(kind: EntityKind, topic?: string): Entity[] {
    const isMeant = ({ row }: Entity) => row.kind === kind && (topic === undefined || isOf(row.name, topic));
    return [...this.#entities.values()].filter(isMeant);
  }

  /** Why `put` would refuse it. @param alsoThere paths that are about to be made. */
  findFault({ kind, path, properties }: EntityChange, alsoThere: ReadonlySet<string> = new Set()): string | undefined {
    const settings = parseSettings(path, properties, kind);
    if (typeof settings === "string") return settings;
    const present = this.get(path);
    if (!present) return this.#findNameFault(kind, path) ?? this.#findTargetFault(path, settings, alsoThere);
    if (present.row.kind !== kind) return `${path} is there already, as a ${present.row.kind}.`;
    const fixed = FIXED.find((name) => isOn(present.row.properties[name]) !== isOn(properties[name]));
    if (fixed)
      return `${path}: ${fixed} cannot be changed: it is fixed when the ${kind} is created. Delete the ${kind} first.`;
    return this.#findTargetFault(path, settings, alsoThere);
  }

  /** Creates the entity, or sets an existing one's properties. Throws if `findFault` finds one, and a QuotaExceeded. */
  async put(
    change: EntityChange,
    rules?: readonly Rule[],
    alsoThere?: ReadonlySet<string>,
  ): Promise<"created" | "updated"> {
    const fault = this.findFault(change, alsoThere);
    if (fault) throw new Error(fault);
    const present = this.get(change.path);
    const full = present ? undefined : (this.#store.roomFault() ?? entityQuotaFault(change, this));
    if (full !== undefined) throw new QuotaExceeded(full);
    for (const rule of rules ?? []) this.#checkRoom(change.path, rule, present);
    const entity = present ?? this.#create(change);
    const updatedAt = this.#around.now();
    entity.row = { ...entity.row, properties: change.properties, updatedAt };
    const { entities } = this.#store;
    const kept = rules ?? (present ? [] : [defaultRule(updatedAt)]);
    const written = this.#store.commit(() => {
      // Other work of this turn may have reserved more.
      entities.put({ ...entity.row, nextSequence: entity.queue.reservedTo });
      if (entity.rules) for (const rule of kept) entities.putRule(entity.row.number, toRow(rule));
    });
    for (const rule of kept) entity.rules?.set(rule);
    entity.apply();
    this.listener.changed(entity.queue);
    await written;
    return present ? "updated" : "created";
  }

  /** A topic goes with its subscriptions. */
  async delete(path: string): Promise<boolean> {
    const entity = this.get(path);
    if (!entity) return false;
    const subscriptions = entity.row.kind === "topic" ? this.list("subscription", entity.row.name) : [];
    const gone = [...subscriptions, entity];
    for (const each of gone) this.#remove(each);
    await this.#store.commit(() => {
      for (const { row } of gone) this.#store.deleteEntity(row.number);
    });
    return true;
  }

  /** Throws a QuotaExceeded. */
  async putRule(subscription: Entity, rule: Rule): Promise<void> {
    this.#checkRoom(subscription.row.name, rule, subscription);
    subscription.rules?.set(rule);
    await this.#store.commit(() => this.#store.entities.putRule(subscription.row.number, toRow(rule)));
  }

  async deleteRule(subscription: Entity, name: string): Promise<boolean> {
    if (!subscription.rules?.delete(name)) return false;
    await this.#store.commit(() => this.#store.entities.deleteRule(subscription.row.number, name));
    return true;
  }

  /** Why the entity takes no message: the disk is full, or it is as large as it may be, a topic together with its subscriptions. */
  sizeFault({ name, number, settings }: Queue): string | undefined {
    const full = this.#store.roomFault();
    if (full !== undefined) return full;
    const subscriptions = this.get(name)?.distribution?.subscriptions.values() ?? [];
    const numbers = [number, ...[...subscriptions].map(({ queue }) => queue.number)];
    if (!this.#store.holds(numbers, settings.mostBytes, this.#around.now())) return undefined;
    return `'${name}' is full: it holds ${settings.mostBytes} bytes at most.`;
  }

  all(): Iterable<Entity> {
    return this.#entities.values();
  }

  #checkRoom(subscription: string, rule: Rule, present: Entity | undefined): void {
    const full = filterQuotaFault(subscription, { rule, replaced: present?.rules?.get(rule.name) }, this);
    if (full !== undefined) throw new QuotaExceeded(full);
  }

  #create({ kind, path, properties }: EntityChange): Entity {
    const number = Math.max(0, ...[...this.#entities.values()].map(({ row }) => row.number)) + 1;
    const now = this.#around.now();
    const row = { number, kind, name: path, properties, createdAt: now, updatedAt: now, nextSequence: 1 };
    return this.#add(new Entity(row, this.#around));
  }

  #add(entity: Entity): Entity {
    const { row, queue, rules } = entity;
    const key = row.name.toLowerCase();
    this.#entities.set(key, entity);
    const topic = splitSubscription(row.name)?.topic;
    if (rules && topic !== undefined) this.get(topic)?.distribution?.subscriptions.set(key, { queue, rules });
    return entity;
  }

  #remove({ row, queue }: Entity): void {
    const key = row.name.toLowerCase();
    this.#entities.delete(key);
    const topic = splitSubscription(row.name)?.topic;
    if (topic !== undefined) this.get(topic)?.distribution?.subscriptions.delete(key);
    queue.close();
    this.listener.deleted(queue);
  }

  #findNameFault(kind: EntityKind, path: string): string | undefined {
    if (kind !== "subscription") return isEntityName(path) ? undefined : `${path} is no name of a ${kind}.`;
    const { topic = "", name = "" } = splitSubscription(path) ?? {};
    if (!isPartName(name)) return `${name} is no name of a subscription.`;
    return this.get(topic)?.row.kind === "topic" ? undefined : `The topic ${topic} does not exist.`;
  }

  /** The entity to forward to has to exist when it is set (Service Bus documentation, "Chaining entities"). */
  #findTargetFault(path: string, settings: QueueSettings, alsoThere: ReadonlySet<string>): string | undefined {
    for (const target of [settings.forwardTo, settings.forwardDeadLettersTo]) {
      if (target === undefined) continue;
      if (target.toLowerCase() === path.toLowerCase()) return `${path} cannot forward to itself.`;
      const isThere = this.#around.find(target) || alsoThere.has(target.toLowerCase());
      if (!isThere) return `${path} cannot forward to ${target}: there is no such queue or topic.`;
    }
    return undefined;
  }
}

const FIXED = ["requiresSession", "requiresDuplicateDetection", "enablePartitioning"];
const isOn = (value: unknown) => value === true;

function isOf(path: string, topic: string): boolean {
  return splitSubscription(path)?.topic.toLowerCase() === topic.toLowerCase();
}

function toRow({ name, properties, createdAt }: Rule): { name: string; properties: ArmProperties; createdAt: number } {
  return { name, properties, createdAt };
}
