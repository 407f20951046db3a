// The operators' part of the state store's contract, in memory.
import { createMemoryOrderStore } from "@scheduler-agent-supervisor/core/store/memory-order-store";
import { operatorStoreContract } from "./operator-store.ts";

operatorStoreContract("memory", async () => createMemoryOrderStore());
