// The operators' part of the state store's contract, in memory.
import { createMemoryJobStore } from "../../src/store/memory-job-store.ts";
import { operatorStoreContract } from "./operator-store.ts";

operatorStoreContract("memory", async () => createMemoryJobStore());
