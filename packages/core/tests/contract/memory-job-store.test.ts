import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/internal/memory/memory-job-store";
import { closingStoreContract } from "./closing-store.ts";
import { guardsContract } from "./guards.ts";
import { jobStoreContract } from "./job-store.ts";

jobStoreContract("memory", async () => createMemoryJobStore());

closingStoreContract("memory", async () => createMemoryJobStore());

guardsContract("memory", async () => createMemoryJobStore());
