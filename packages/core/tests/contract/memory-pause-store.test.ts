import { createMemoryPauses } from "../memory-pauses.ts";
import { pauseStoreContract } from "./pause-store.ts";

const { store } = createMemoryPauses(() => 0);
pauseStoreContract("memory", () => store);
