// The operators' part of the state store's contract, in memory.
import { createMemoryOrderStore } from "../../shared/store/memory-order-store.ts";
import { operatorStoreContract } from "./operator-store.ts";

operatorStoreContract("memory", async () => createMemoryOrderStore());
