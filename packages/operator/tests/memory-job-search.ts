// The operators' search over the store in memory: for tests of their operations.
import { RECORD_VERSION, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { recordOf } from "@scheduler-agent-supervisor/core/store";
import type { MemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { listedJobsOf, listedOf } from "../src/store/job-list.ts";
import { isListed } from "../src/store/job-query.ts";
import type { JobSearch } from "../src/store/job-search.ts";

export function createMemoryJobSearch(store: Pick<MemoryJobStore, "jobIds" | "stored">): Pick<JobSearch, "list"> {
  /** A newer record unchanged: only its head is read. */
  const inTodaysWords = (record: StateRecord): StateRecord =>
    record.schemaVersion > RECORD_VERSION ? record : recordOf({ ...record });
  return {
    async list(query) {
      const records = store.jobIds.flatMap((jobId) => (store.stored(jobId) as unknown as StateRecord) ?? []);
      const listed = records.filter((record) => isListed(inTodaysWords(record), query));
      listed.sort((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
      return listedJobsOf(listed.map(listedOf), query);
    },
  };
}
