// The state store's contract on the Cosmos DB server, through the official SDK.

import type { Container } from "@azure/cosmos";
import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/internal/store/cosmos-job-store";
import { afterAll } from "vitest";
import { closingStoreContract } from "../../packages/core/tests/contract/closing-store.ts";
import { jobStoreContract } from "../../packages/core/tests/contract/job-store.ts";
import { storedRecordsContract } from "../contract/stored-records.ts";
import type { StoredRecord } from "../stored-records/stored-records.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf, startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack | undefined;
afterAll(() => app?.[Symbol.asyncDispose]());

let starting: Promise<TestStack> | undefined;
async function container(): Promise<Container> {
  starting ??= startTestStack({ parts: ["bus", "cosmos"], host: false });
  app = await starting;
  return containerOf(app.settings);
}

// First, for the other suite leaves records of its own.
storedRecordsContract("cosmos", async (documents, onNewer) => {
  const orders = await container();
  for (const document of documents) await orders.items.create({ ...document, id: "state" });
  const stored = async (orderId: string) => (await orders.item("state", orderId).read<StoredRecord>()).resource;
  return { store: createCosmosJobStore(sampleContainer(orders), { onNewer }), stored };
});

jobStoreContract("cosmos", async () => createCosmosJobStore(sampleContainer(await container())));

closingStoreContract("cosmos", async () => createCosmosJobStore(sampleContainer(await container())));
