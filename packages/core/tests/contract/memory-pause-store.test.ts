import { createMemoryPauses } from "@scheduler-agent-supervisor/testing/memory";
import { pauseStoreContract } from "./pause-store.ts";

const { store } = createMemoryPauses(() => 0);
pauseStoreContract("memory", () => store);
