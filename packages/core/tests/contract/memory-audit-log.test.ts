import { createMemoryAuditLog } from "../../src/supervision/memory-audit-log.ts";
import { supervisionLogContract } from "./audit-log.ts";

supervisionLogContract("memory", async () => createMemoryAuditLog());
