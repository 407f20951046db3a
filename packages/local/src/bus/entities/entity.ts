// A queue, a topic or a subscription as a whole: its description and what serves it.

import { Distribution, Forwarding, type Outlet } from "../queue/outlet.ts";
import { Queue, type QueueCounts } from "../queue/queue.ts";
import { type ArmProperties, type EntityKind, readSettings } from "../queue/queue-settings.ts";
import type { Store } from "../queue/store.ts";
import type { Surroundings } from "../queue/surroundings.ts";
import { DEFAULT_RULE, parseRule, type Rule } from "../rules/rule.ts";
import { SubscriptionRules } from "../rules/subscription-rules.ts";
import type { EntityRow } from "./entity-store.ts";

/** What an entity is to be: made anew, or set. */
export interface EntityChange {
  readonly kind: EntityKind;
  /** Of a subscription: `topic/Subscriptions/name`. */
  readonly path: string;
  readonly properties: ArmProperties;
}

export class Entity {
  row: EntityRow;
  /** Of a topic: takes what is sent, and keeps what is scheduled. */
  readonly queue: Queue;
  /** A topic has one. */
  readonly distribution: Distribution | undefined;
  /** A subscription has them. */
  readonly rules: SubscriptionRules | undefined;
  readonly #around: Surroundings;

  constructor(row: EntityRow, around: Surroundings) {
    this.row = row;
    this.#around = around;
    const { kind, number, name, nextSequence, properties } = row;
    const settings = readSettings(name, properties, kind);
    const identity = { number, nextSequence };
    const deadLetter = new Queue(
      around,
      { ...identity, kind: "deadLetter", name: `${name}/$deadletterqueue` },
      settings,
    );
    this.queue = new Queue(around, { ...identity, kind, name }, settings, deadLetter);
    this.distribution = kind === "topic" ? new Distribution() : undefined;
    this.rules = kind === "subscription" ? new SubscriptionRules() : undefined;
  }

  /** Reads back what it holds. */
  restore(store: Store): void {
    const { number, name } = this.row;
    this.queue.restore(store.messages(number), store.duplicates(number));
    for (const row of this.rules ? store.entities.rules(number) : []) {
      const rule = parseRule(row.name, row.properties, row.createdAt);
      if (typeof rule === "string") throw new Error(`${name}: ${rule}`);
      this.rules?.set(rule);
    }
  }

  /** Makes the settings in its row hold. Not before all entities are there, as messages may go to others at once. */
  apply(): void {
    const settings = readSettings(this.row.name, this.row.properties, this.row.kind);
    this.queue.change(settings, this.distribution ?? this.#forwarding(settings.forwardTo));
  }

  count(): QueueCounts {
    return this.queue.count();
  }

  #forwarding(to: string | undefined): Outlet | undefined {
    return to === undefined ? undefined : new Forwarding(this.queue, () => this.#around.find(to));
  }
}

/** What each new subscription has, if nothing else is said. */
export function defaultRule(createdAt: number): Rule {
  const rule = parseRule(DEFAULT_RULE, {}, createdAt);
  if (typeof rule === "string") throw new Error(rule);
  return rule;
}
