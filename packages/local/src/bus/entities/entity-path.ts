// The paths of entities. No case is distinguished.
import { BUS_LIMITS } from "../limits.ts";

const DEAD_LETTER = /^(.+)\/\$deadletterqueue$/i;
const OF_TOPIC = /^\$resources\/topics$|\/subscriptions(\/|$)/i;
/** Letters, digits, and what stands between them; as long as the service's quotas allow. */
const NAME = /^[a-z0-9_](?:[a-z0-9._\-~/]*[a-z0-9_-])?$/i;

/** The answer to whoever wants some. */
export const NO_TOPICS = "Topics, subscriptions and rules are not supported by this broker: it has queues alone.";

/** The entity whose dead-letter queue this is; `undefined` for another path. */
export function deadLetterOwner(path: string): string | undefined {
  return DEAD_LETTER.exec(path)?.[1];
}

/** Whether the path names topics, or what a topic has. */
export function isOfTopic(path: string): boolean {
  return OF_TOPIC.test(path);
}

export function isEntityName(name: string): boolean {
  return name.length <= BUS_LIMITS.entityName.value && NAME.test(name) && !name.includes("//") && !isOfTopic(name);
}
