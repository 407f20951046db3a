// The state store's contract on the Cosmos DB server, through the official SDK.
import { afterAll } from "vitest";
import { createCosmosOrderStore } from "../../shared/store/cosmos-order-store.ts";
import { orderStoreContract } from "../contract/order-store.ts";
import { containerOf, startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack | undefined;
afterAll(() => app?.[Symbol.asyncDispose]());

orderStoreContract("cosmos", async () => {
  app = await startTestStack({ parts: ["bus", "cosmos"], host: false });
  return createCosmosOrderStore(containerOf(app.settings));
});
