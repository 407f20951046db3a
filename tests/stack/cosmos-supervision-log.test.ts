// The ledger's contract on the Cosmos DB server, through the official SDK.
import { CosmosClient } from "@azure/cosmos";
import { afterAll } from "vitest";
import { createCosmosSupervisionLog } from "../../shared/supervision/cosmos-supervision-log.ts";
import { supervisionLogContract } from "../contract/supervision-log.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack | undefined;
afterAll(() => app?.[Symbol.asyncDispose]());

supervisionLogContract("cosmos", async () => {
  app = await startTestStack({ parts: ["bus", "cosmos"], host: false });
  const database = new CosmosClient(app.settings["Cosmos"] ?? "").database("orders");
  return createCosmosSupervisionLog({
    supervision: database.container("supervision"),
    audit: database.container("audit"),
  });
});
