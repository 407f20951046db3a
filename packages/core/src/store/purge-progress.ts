// How far housekeeping has come with what the durable engine keeps of attempts that have ended.
import type { Container } from "@azure/cosmos";

/** Every method throws where the store does not answer. */
export interface PurgeProgress {
  /** What began before this instant has been removed; at first, when the oldest job came. Undefined where there is none. */
  doneUntil(): Promise<string | undefined>;
  save(doneUntil: string): Promise<void>;
}

/** The partition of such entries: no day is called so. */
const PARTITION = "housekeeping";
/** Not even where the container lets its documents go after a time. */
const FOR_EVER = -1;

/**
 * @param container its partition key is `/day`
 * @param jobs where the state records stand; its index has `createdAt`
 * @param taskHub each has its own attempts
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
