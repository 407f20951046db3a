// The supervisors' audit log as it stands: of today, and of the day that began while the test ran.

import { CosmosClient } from "@azure/cosmos";
import type { SupervisionEntry } from "@scheduler-agent-supervisor/core/internal/store/audit-log";
import { createCosmosAuditLog } from "@scheduler-agent-supervisor/core/internal/store/cosmos-audit-log";
import type { Settings } from "../../cli/every-app/stack-file.ts";

const LONGEST_TEST_MS = 120_000;

export async function openAuditLog(settings: Settings): Promise<SupervisionEntry[]> {
  const database = new CosmosClient(settings["Cosmos"] ?? "").database("orders");
  const log = createCosmosAuditLog({
    supervision: database.container("supervision"),
    audit: database.container("audit"),
  });
  const days = [Date.now() - LONGEST_TEST_MS, Date.now()].map((at) => new Date(at).toISOString().slice(0, 10));
  const found: SupervisionEntry[] = [];
  for (const day of new Set(days)) for await (const entry of log.entries(day)) found.push(entry);
  return found;
}
