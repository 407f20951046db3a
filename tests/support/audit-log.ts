// The supervisors' audit log as it stands: of today, and of the day that began while the test ran.

import { createCosmosAuditLog } from "@scheduler-agent-supervisor/core/create-app";
import type { SupervisionEntry } from "@scheduler-agent-supervisor/core/store";
import type { Settings } from "../../cli/every-app/stack-file.ts";
import { databaseOf, seenByAll } from "./store.ts";

const LONGEST_TEST_MS = 120_000;

export async function openAuditLog(settings: Settings): Promise<SupervisionEntry[]> {
  await seenByAll();
  const database = databaseOf(settings);
  const log = createCosmosAuditLog({
    supervision: database.container("supervision"),
    audit: database.container("audit"),
  });
  const days = [Date.now() - LONGEST_TEST_MS, Date.now()].map((at) => new Date(at).toISOString().slice(0, 10));
  const found: SupervisionEntry[] = [];
  for (const day of new Set(days)) for await (const entry of log.entries(day)) found.push(entry);
  return found;
}
