import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { createMemoryJobSearch } from "../../packages/operator/tests/memory-job-search.ts";
import type { StoredRecord } from "../stored-records/stored-records.ts";
import { storedRecordsContract } from "./stored-records.ts";

storedRecordsContract("memory", async (documents, onNewer) => {
  const store = createMemoryJobStore({ documents, onNewer });
  return {
    store,
    search: createMemoryJobSearch(store),
    stored: async (orderId) => store.stored(orderId) as StoredRecord | undefined,
  };
});
