import { createMemoryAuditLog } from "@scheduler-agent-supervisor/testing/memory";
import { supervisionLogContract } from "./audit-log.ts";

supervisionLogContract("memory", async () => createMemoryAuditLog());
