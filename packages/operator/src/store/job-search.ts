// The port of a search for jobs, and the same on Cosmos DB.
import type { Container } from "@azure/cosmos";
import { type JobFilter, type JobQuery, type Listed, type ListedJobs, listedJobsOf, scannedPage } from "./job-list.ts";
import { countQuery, isIndexed, listQuery, someQuery, spanOf } from "./job-query.ts";
import { scanJobs, type Window } from "./job-scan.ts";

/** Every method throws if the store does not answer. */
export interface JobSearch {
  /** A page of the jobs that pass the filter, the newest first. */
  list(query: JobQuery): Promise<ListedJobs>;
  /** How many jobs pass the filter, where an index answers it. */
  count(filter: JobFilter): Promise<JobCount>;
}

interface JobCount {
  /** Up to 200. Null if every stored job would have to be read. */
  readonly count: number | null;
  readonly isMore: boolean;
}

/** A page of a search without an index reads this number of records: some hundred request units. */
const MOST_LOOKED = 1000;
const MOST_COUNTED = 200;

/** @param container its index has `processState`, `error/kind`, `createdAt` and the business keys */
export function createJobSearch(container: Container): JobSearch {
  async function listed(query: JobQuery, most: number, window?: Window): Promise<Listed[]> {
    const pages = container.items.query<Listed>(listQuery(query, window), { maxItemCount: most });
    const found: Listed[] = [];
    while (found.length < most && pages.hasMoreResults()) found.push(...((await pages.fetchNext()).resources ?? []));
    return found;
  }

  async function sizeOf(query: JobQuery, window: Window): Promise<number> {
    const { resources } = await container.items.query<number>(countQuery(query, window)).fetchAll();
    return resources[0] ?? 0;
  }

  return {
    async list(query) {
      const most = query.limit + 1;
      if (isIndexed(query)) return listedJobsOf(await listed(query, most), query);
      const scanned = await scanJobs<Listed>(spanOf(query, Date.now()), most, MOST_LOOKED, {
        count: (window) => sizeOf(query, window),
        read: (window, wanted) => listed(query, wanted, window),
      });
      return scannedPage(scanned, query);
    },

    async count(filter) {
      if (!isIndexed(filter)) return { count: null, isMore: false };
      const query = someQuery(filter, MOST_COUNTED + 1);
      const { resources } = await container.items.query<number>(query, { maxItemCount: MOST_COUNTED + 1 }).fetchAll();
      return { count: Math.min(resources.length, MOST_COUNTED), isMore: resources.length > MOST_COUNTED };
    },
  };
}
