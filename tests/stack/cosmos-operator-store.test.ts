// The operators' part of the state store's contract on the Cosmos DB server, through the official SDK.

import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { createJobSearch } from "@scheduler-agent-supervisor/operator/adapters";
import { afterAll } from "vitest";
import { operatorStoreContract } from "../../packages/operator/tests/contract/operator-store.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack | undefined;
afterAll(() => app?.[Symbol.asyncDispose]());

operatorStoreContract("cosmos", async () => {
  app = await startTestStack({ parts: ["cosmos"], host: false });
  const sample = sampleContainer(containerOf(app.settings));
  return { store: createCosmosJobStore(sample), search: createJobSearch(sample.container) };
});
