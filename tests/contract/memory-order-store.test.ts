import { createMemoryOrderStore } from "../../shared/store/memory-order-store.ts";
import { orderStoreContract } from "./order-store.ts";

orderStoreContract("memory", async () => createMemoryOrderStore());
