// The number of jobs that a search finds, where an index answers it.
import type { Container } from "@azure/cosmos";
import type { JobFilter } from "@scheduler-agent-supervisor/core/internal/store/job-list";
import { isIndexed, totalQuery } from "@scheduler-agent-supervisor/core/internal/store/job-query";

/** Null if every stored job would have to be read. Throws if the store does not answer. */
export type CountJobs = (filter: JobFilter) => Promise<number | null>;

/** @param container its index has `processState`, `createdAt` and the business keys */
export function createCountJobs(container: Container): CountJobs {
  return async (filter) => {
    if (!isIndexed(filter)) return null;
    const { query, parameters } = totalQuery(filter);
    const { resources } = await container.items.query<number>({ query, parameters }).fetchAll();
    return resources[0] ?? 0;
  };
}
