// The operators' part of the state store's contract, in memory.
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { createMemoryJobSearch } from "../memory-job-search.ts";
import { operatorStoreContract } from "./operator-store.ts";

operatorStoreContract("memory", async () => {
  const store = createMemoryJobStore();
  return { store, search: createMemoryJobSearch(store) };
});
