import { createMemorySupervisionLog } from "../../shared/supervision/memory-supervision-log.ts";
import { supervisionLogContract } from "./supervision-log.ts";

supervisionLogContract("memory", async () => createMemorySupervisionLog());
