import { inAppsNames, inCoresNames } from "@scheduler-agent-supervisor/core/internal/domain/noun";
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/internal/memory/memory-job-store";
import type { StoredRecord } from "../stored-records/stored-records.ts";
import { ORDER } from "../support/sample-container.ts";
import { storedRecordsContract } from "./stored-records.ts";

storedRecordsContract("memory", async (documents, onNewer) => {
  const store = createMemoryJobStore({ documents: documents.map((one) => inCoresNames(one, ORDER)), onNewer });
  return { store, stored: async (orderId) => inAppsNames(store.stored(orderId), ORDER) as StoredRecord | undefined };
});
