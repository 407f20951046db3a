// Housekeeping's progress with the durable engine's data of ended attempts.
import type { Container } from "@azure/cosmos";

/** Every method throws if the store does not answer. */
export interface PurgeProgress {
  /** Attempts that began before this instant have been removed; at first, the arrival of the oldest job. Undefined if there is none. */
  doneUntil(): Promise<string | undefined>;
  save(doneUntil: string): Promise<void>;
}

/** The partition of such entries: no day has this name. */
const PARTITION = "housekeeping";
/** Permanent, even if the container's documents have a time to live. */
const FOR_EVER = -1;

/**
 * @param container its partition key is `/day`
 * @param jobs the container of the state records; its index has `createdAt`
 * @param taskHub each task hub has its own attempts
 */
export function createCosmosPurgeProgress(container: Container, jobs: Container, taskHub: string): PurgeProgress {
  const id = `purged:${taskHub}`;

  async function oldestJob(): Promise<string | undefined> {
    const query = "SELECT TOP 1 VALUE c.createdAt FROM c WHERE IS_DEFINED(c.createdAt) ORDER BY c.createdAt";
    return (await jobs.items.query<string>(query).fetchAll()).resources[0];
  }

  return {
    async doneUntil() {
      const known = (await container.item(id, PARTITION).read<{ doneUntil: string }>()).resource;
      return known?.doneUntil ?? oldestJob();
    },
    async save(doneUntil) {
      await container.items.upsert({ id, day: PARTITION, doneUntil, ttl: FOR_EVER });
    },
  };
}
