import { createMemoryAuditLog } from "@scheduler-agent-supervisor/core/supervision/memory-audit-log";
import { supervisionLogContract } from "./audit-log.ts";

supervisionLogContract("memory", async () => createMemoryAuditLog());
