// How many entities a namespace has: what is beyond is not made.

import { quotaFault } from "../../limit.ts";
import { BUS_LIMITS } from "../limits.ts";
import type { ArmProperties, QueueSettings } from "../queue/queue-settings.ts";

/** An entity, as far as it is counted. */
export interface CountedEntity {
  readonly queue: { readonly settings: Pick<QueueSettings, "isPartitioned"> };
}

/** Something more than a quota allows. */
export class QuotaExceeded extends Error {
  override readonly name = "QuotaExceeded";
}

/** Why there is no room for an entity with these properties, which is not there yet. */
export function entityQuotaFault(properties: ArmProperties, there: readonly CountedEntity[]): string | undefined {
  const full = quotaFault(BUS_LIMITS.entities, there.length + 1);
  if (full !== undefined || properties["enablePartitioning"] !== true) return full;
  const partitioned = there.filter(({ queue }) => queue.settings.isPartitioned).length;
  return quotaFault(BUS_LIMITS.partitionedEntities, partitioned + 1);
}
