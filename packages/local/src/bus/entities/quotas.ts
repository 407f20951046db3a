// How many entities a namespace has, and how many subscriptions and filters a topic: what is beyond is not made.

import { type Limit, quotaFault } from "../../limit.ts";
import { BUS_LIMITS } from "../limits.ts";
import type { EntityKind, QueueSettings } from "../queue/queue-settings.ts";
import { type FilterKind, filterKind, type Rule } from "../rules/rule.ts";
import type { SubscriptionRules } from "../rules/subscription-rules.ts";
import type { EntityChange } from "./entity.ts";
import { splitSubscription } from "./entity-path.ts";

interface CountedEntity {
  readonly rules: SubscriptionRules | undefined;
  readonly queue: { readonly settings: Pick<QueueSettings, "isPartitioned"> };
}

/** The entities, as far as they are counted. */
export interface CountedEntities {
  list(kind: EntityKind, topic?: string): readonly CountedEntity[];
}

/** Something more than a quota allows. */
export class QuotaExceeded extends Error {
  override readonly name = "QuotaExceeded";
}

/** Why there is no room for the entity, which is not there yet. */
export function entityQuotaFault(
  { kind, path, properties }: EntityChange,
  entities: CountedEntities,
): string | undefined {
  if (kind !== "subscription") {
    const there = [...entities.list("queue"), ...entities.list("topic")];
    const full = quotaFault(BUS_LIMITS.entities, there.length + 1);
    if (full !== undefined || properties["enablePartitioning"] !== true) return full;
    const partitioned = there.filter(({ queue }) => queue.settings.isPartitioned).length;
    return quotaFault(BUS_LIMITS.partitionedEntities, partitioned + 1);
  }
  return quotaFault(BUS_LIMITS.subscriptions, entities.list("subscription", splitSubscription(path)?.topic).length + 1);
}

const COUNTED: readonly (readonly [kind: FilterKind, limit: Limit])[] = [
  ["sql", BUS_LIMITS.sqlFilters],
  ["correlation", BUS_LIMITS.correlationFilters],
];

/** Why the topic has no room for a rule of one of its subscriptions. @param replaced the rule of that name which is there */
export function filterQuotaFault(
  subscription: string,
  { rule, replaced }: { readonly rule: Rule; readonly replaced: Rule | undefined },
  entities: CountedEntities,
): string | undefined {
  const [kind, limit] = COUNTED.find(([each]) => each === filterKind(rule)) ?? [];
  if (!kind || !limit || (replaced && filterKind(replaced) === kind)) return undefined;
  const subscriptions = entities.list("subscription", splitSubscription(subscription)?.topic);
  return quotaFault(
    limit,
    subscriptions.reduce((sum, { rules }) => sum + (rules?.countFilters(kind) ?? 0), 1),
  );
}
