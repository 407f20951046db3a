// The number of jobs that a search finds, where an index answers it.
import type { Container } from "@azure/cosmos";
import { isIndexed, type JobFilter, someQuery } from "@scheduler-agent-supervisor/core/store";

const MOST = 200;

export interface Count {
  /** Up to 200. Null if every stored job would have to be read. */
  readonly count: number | null;
  readonly isMore: boolean;
}

/** Throws if the store does not answer. */
export type CountJobs = (filter: JobFilter) => Promise<Count>;

/** @param container its index has `processState`, `createdAt` and the business keys */
export function createCountJobs(container: Container): CountJobs {
  return async (filter) => {
    if (!isIndexed(filter)) return { count: null, isMore: false };
    const query = someQuery(filter, MOST + 1);
    const { resources } = await container.items.query<number>(query, { maxItemCount: MOST + 1 }).fetchAll();
    return { count: Math.min(resources.length, MOST), isMore: resources.length > MOST };
  };
}
