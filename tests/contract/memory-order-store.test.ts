import { createMemoryOrderStore } from "@scheduler-agent-supervisor/core/store/memory-order-store";
import type { StoredRecord } from "../stored-records/stored-records.ts";
import { closingStoreContract } from "./closing-store.ts";
import { orderStoreContract } from "./order-store.ts";
import { storedRecordsContract } from "./stored-records.ts";

orderStoreContract("memory", async () => createMemoryOrderStore());

closingStoreContract("memory", async () => createMemoryOrderStore());

storedRecordsContract("memory", async (documents, onNewer) => {
  const store = createMemoryOrderStore({ documents, onNewer });
  return { store, stored: async (orderId) => store.stored(orderId) as StoredRecord | undefined };
});
