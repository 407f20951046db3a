import { createMemoryAuditLog } from "@scheduler-agent-supervisor/testing/internal/memory/memory-audit-log";
import { supervisionLogContract } from "./audit-log.ts";

supervisionLogContract("memory", async () => createMemoryAuditLog());
