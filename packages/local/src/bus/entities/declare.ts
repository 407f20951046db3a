// Makes the entities that a file declares: absent ones are created, present ones set anew.
import { parseRule, type Rule } from "../rules/rule.ts";
import { type DeclaredEntities, type QueueEntity, readDeclared } from "./declared-entities.ts";
import type { EntityChange } from "./entity.ts";
import type { EntityCatalog } from "./entity-catalog.ts";
import { subscriptionPath } from "./entity-path.ts";

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
