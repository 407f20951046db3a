// The audit log's contract on the Cosmos DB server, through the official SDK.

import { CosmosClient } from "@azure/cosmos";
import { createCosmosAuditLog } from "@scheduler-agent-supervisor/core/internal/store/cosmos-audit-log";
import { afterAll } from "vitest";
import { supervisionLogContract } from "../../packages/core/tests/contract/audit-log.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack | undefined;
afterAll(() => app?.[Symbol.asyncDispose]());

supervisionLogContract("cosmos", async () => {
  app = await startTestStack({ parts: ["bus", "cosmos"], host: false });
  const database = new CosmosClient(app.settings["Cosmos"] ?? "").database("orders");
  return createCosmosAuditLog({
    supervision: database.container("supervision"),
    audit: database.container("audit"),
  });
});
