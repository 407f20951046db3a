// The state store's contract on the Cosmos DB server, through the official SDK.

import type { Container } from "@azure/cosmos";
import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { createJobSearch } from "@scheduler-agent-supervisor/operator/adapters";
import { afterAll, expect, test, vi } from "vitest";
import { closingStoreContract } from "../../packages/core/tests/contract/closing-store.ts";
import { dueStoreContract } from "../../packages/core/tests/contract/due-store.ts";
import { guardsContract } from "../../packages/core/tests/contract/guards.ts";
import { jobStoreContract } from "../../packages/core/tests/contract/job-store.ts";
import { sampleJob, sampleRecord } from "../../packages/core/tests/jobs.ts";
import type { StoredRecord } from "../stored-records/stored-records.ts";
import { type CosmosInProcess, startCosmosInProcess } from "../support/cosmos-in-process.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { storedRecordsContract } from "./stored-records.ts";

let starting: Promise<CosmosInProcess> | undefined;
afterAll(async () => (await starting)?.[Symbol.asyncDispose]());

async function container(): Promise<Container> {
  starting ??= startCosmosInProcess();
  return (await starting).orders();
}

// First, for the other suites leave records of their own.
storedRecordsContract("cosmos", async (documents, onNewer) => {
  const orders = await container();
  for (const document of documents) await orders.items.create({ ...document, orderId: document.jobId, id: "state" });
  const stored = async (orderId: string) => (await orders.item("state", orderId).read<StoredRecord>()).resource;
  const store = createCosmosJobStore(sampleContainer(orders), { onNewer });
  return { store, search: createJobSearch(orders), stored };
});

const open = async () => createCosmosJobStore(sampleContainer(await container()));

jobStoreContract("cosmos", open);

closingStoreContract("cosmos", open);

dueStoreContract("cosmos", open);

guardsContract("cosmos", open);

test("P1 what one process creates another process reads: the job and its record", async () => {
  const record = sampleRecord("another-process");
  await (await open()).create(sampleJob(record.jobId), record);
  const other = await open();
  expect(await other.job(record.jobId, 1)).toEqual(sampleJob(record.jobId));
  expect((await other.state(record.jobId))?.record).toMatchObject(record);
});

test("the answers to a creation and an erasure hold no documents: nobody reads them", async () => {
  const orders = await container();
  const store = createCosmosJobStore(sampleContainer(orders));
  const batches = vi.spyOn(orders.items, "batch");
  const record = sampleRecord("unread-answers");
  await store.create(sampleJob(record.jobId), record);
  const read = await store.state(record.jobId);
  if (!read) throw new Error("it was not created");
  expect(await store.erase(read)).toBe("erased");
  const answers = await Promise.all(
    batches.mock.results.map(({ value }) => value as ReturnType<typeof orders.items.batch>),
  );
  expect(answers.map(({ code }) => code)).toEqual([200, 200]);
  expect(answers.flatMap(({ result = [] }) => result.map(({ resourceBody }) => resourceBody))).toEqual(
    Array(5).fill(undefined),
  );
});
