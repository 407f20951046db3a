// The paths of entities: `queue`, `topic`, `topic/Subscriptions/name`. No case is distinguished.
import { BUS_LIMITS } from "../limits.ts";

const SUBSCRIPTION = /^(.+)\/subscriptions\/([^/]+)$/i;
const DEAD_LETTER = /^(.+)\/\$deadletterqueue$/i;
/** Letters, digits, and what stands between them; as long as the service's quotas allow. */
const NAME = /^[a-z0-9_](?:[a-z0-9._\-~/]*[a-z0-9_-])?$/i;
const PART_NAME = /^[a-z0-9_$][a-z0-9._-]*$/i;

export function subscriptionPath(topic: string, name: string): string {
  return `${topic}/Subscriptions/${name}`;
}

/** `undefined` for the path of no subscription. */
export function splitSubscription(path: string): { topic: string; name: string } | undefined {
  const [, topic, name] = SUBSCRIPTION.exec(path) ?? [];
  return topic !== undefined && name !== undefined ? { topic, name } : undefined;
}

/** The entity whose dead-letter queue this is; `undefined` for another path. */
export function deadLetterOwner(path: string): string | undefined {
  return DEAD_LETTER.exec(path)?.[1];
}

/** Of a queue or a topic. */
export function isEntityName(name: string): boolean {
  return name.length <= BUS_LIMITS.entityName.value && NAME.test(name) && !/\/\/|\/subscriptions(\/|$)/i.test(name);
}

/** Of a subscription or a rule. */
export function isPartName(name: string): boolean {
  return name.length <= BUS_LIMITS.partName.value && PART_NAME.test(name);
}
