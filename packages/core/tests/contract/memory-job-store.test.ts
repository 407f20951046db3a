import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { closingStoreContract } from "./closing-store.ts";
import { dueStoreContract } from "./due-store.ts";
import { guardsContract } from "./guards.ts";
import { jobStoreContract } from "./job-store.ts";

jobStoreContract("memory", async () => createMemoryJobStore());

closingStoreContract("memory", async () => createMemoryJobStore());

dueStoreContract("memory", async () => createMemoryJobStore());

guardsContract("memory", async () => createMemoryJobStore());

// A process finds what it wrote itself, so the contract holds for it whatever other processes may miss.
const staleReads = { withinMs: 60_000 };

jobStoreContract("memory, with stale reads", async () => createMemoryJobStore({ staleReads }));

guardsContract("memory, with stale reads", async () => createMemoryJobStore({ staleReads }));
