// The operators' search over the store in memory: for tests of their operations.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { isListed, type JobSearch, listedJobsOf, listedOf } from "@scheduler-agent-supervisor/operator/adapters";
import type { MemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { RECORD_VERSION } from "../src/domain/record/state-record.ts";
import { recordOf } from "../src/store/record-versions.ts";

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
