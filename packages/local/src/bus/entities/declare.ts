// Makes the entities that a file declares: absent ones are created, present ones set anew.

import type { WithNotes } from "../../notes.ts";
import type { ArmProperties } from "../queue/queue-settings.ts";
import { parseRule, type Rule } from "../rules/rule.ts";
import { readDeclared } from "./declared-entities.ts";
import type { EntityCatalog, EntityChange } from "./entity-catalog.ts";
import { subscriptionPath } from "./entity-path.ts";

/** With the members of ARM. */
export interface QueueEntity {
  readonly name: string;
  /** Absent: the service's defaults. */
  readonly properties?: ArmProperties;
}

export interface TopicEntity extends QueueEntity {
  readonly subscriptions?: readonly SubscriptionEntity[];
}

export interface SubscriptionEntity extends QueueEntity {
  /** All that the subscription has; absent: the one that selects everything. Properties as in ARM. */
  readonly rules?: readonly QueueEntity[];
}

export interface DeclaredEntities extends WithNotes {
  readonly queues?: readonly QueueEntity[];
  readonly topics?: readonly TopicEntity[];
}

/** Throws an error that names what is wrong. */
export async function declare(catalog: EntityCatalog, given: DeclaredEntities, now: number): Promise<void> {
  const declared = readDeclared(given);
  const changes: { readonly change: EntityChange; readonly rules: readonly Rule[] | undefined }[] = [];
  for (const { name, properties } of declared.queues ?? []) {
    changes.push({ change: { kind: "queue", path: name, properties }, rules: undefined });
  }
  for (const { name, properties, subscriptions = [] } of declared.topics ?? []) {
    changes.push({ change: { kind: "topic", path: name, properties }, rules: undefined });
    for (const subscription of subscriptions) {
      const path = subscriptionPath(name, subscription.name);
      const change = { kind: "subscription", path, properties: subscription.properties } as const;
      changes.push({ change, rules: subscription.rules?.map((rule) => readRule(path, rule, now)) });
    }
  }
  // One may forward to another that comes later.
  const paths = new Set(changes.map(({ change }) => change.path.toLowerCase()));
  for (const { change, rules } of changes) {
    await catalog.put(change, rules, paths);
    if (rules) await dropOthers(catalog, change.path, rules);
  }
}

function readRule(path: string, { name, properties = {} }: QueueEntity, now: number): Rule {
  const rule = parseRule(name, properties, now);
  if (typeof rule === "string") throw new Error(`${path}: ${rule}`);
  return rule;
}

async function dropOthers(catalog: EntityCatalog, path: string, rules: readonly Rule[]): Promise<void> {
  const subscription = catalog.get(path);
  const kept = new Set(rules.map(({ name }) => name.toLowerCase()));
  for (const { name } of subscription?.rules?.all() ?? []) {
    if (subscription && !kept.has(name.toLowerCase())) await catalog.deleteRule(subscription, name);
  }
}
