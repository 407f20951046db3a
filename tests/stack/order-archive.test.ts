// The archive on Azurite, through the official SDK: one line an order, whatever is done twice.

import { BlobServiceClient, type ContainerClient } from "@azure/storage-blob";
import {
  type ArchivedJob,
  ArchiveUnavailable,
  createBlobJobArchive,
} from "@scheduler-agent-supervisor/core/create-app";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleOrder, sampleRecord } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
let made = 0;
beforeAll(async () => {
  app = await startTestStack({ parts: ["azurite"], host: false });
});
afterAll(() => app?.[Symbol.asyncDispose]());

function freshContainer(): ContainerClient {
  made += 1;
  const storage = app.stack.addresses.azurite?.connectionString ?? "";
  return BlobServiceClient.fromConnectionString(storage).getContainerClient(`archive-${made}`);
}

function over(orderId: string, overAt = "2026-11-22T10:00:00.000Z", more: Partial<StateRecord> = {}): ArchivedJob {
  const record = { ...sampleRecord(orderId), processState: "Processed" as const, overAt, ...more };
  return { record, jobs: [sampleOrder(orderId)] };
}

async function linesOf(
  container: ContainerClient,
  blob = "2026/11/22.jsonl",
): Promise<{ record: { jobId: string } }[]> {
  const text = (await container.getBlobClient(blob).downloadToBuffer()).toString();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const idsIn = async (container: ContainerClient, blob?: string) =>
  (await linesOf(container, blob)).map(({ record }) => record.jobId);

test("P29 one JSON line an order, in the blob of the day on which it was over", async () => {
  const container = freshContainer();
  const page = [over("a-1", "2026-11-21T23:59:59.999Z"), over("a-2"), over("a-3")];
  await createBlobJobArchive(container).add(page);
  expect(await linesOf(container, "2026/11/21.jsonl")).toEqual([{ archiveVersion: 1, ...page[0] }]);
  expect(await idsIn(container)).toEqual(["a-2", "a-3"]);
});

test("P29 done again after a crash, by another process and with more behind it, each stands there once", async () => {
  const container = freshContainer();
  await createBlobJobArchive(container).add([over("b-1"), over("b-2"), over("b-3")]);
  await createBlobJobArchive(container).add([over("b-2"), over("b-3"), over("b-4")]);
  expect(await idsIn(container)).toEqual(["b-1", "b-2", "b-3", "b-4"]);
});

test("P29 an order that was resubmitted and is over again gets a second line", async () => {
  const container = freshContainer();
  const archive = createBlobJobArchive(container);
  await archive.add([over("c-1")]);
  await archive.add([over("c-1", "2026-11-22T11:00:00.000Z")]);
  expect(await idsIn(container)).toEqual(["c-1", "c-1"]);
});

test("P29 of two that write at once one is rejected, and what it offers again is not added twice", async () => {
  const container = freshContainer();
  const [one, other] = [createBlobJobArchive(container), createBlobJobArchive(container)];
  await one.add([over("d-0")]);
  const page = [over("d-1"), over("d-2")];
  const outcomes = await Promise.allSettled([one.add(page), other.add(page)]);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(ArchiveUnavailable);
  }
  await other.add(page);
  expect(await idsIn(container)).toEqual(["d-0", "d-1", "d-2"]);
});

test("P29 a page of more than one request takes is added whole, and found again", async () => {
  const container = freshContainer();
  const long = [{ at: "", what: "x".repeat(120_000), by: "" }];
  const page = Array.from({ length: 50 }, (_, index) => over(`e-${index}`, undefined, { history: long }));
  await createBlobJobArchive(container).add(page);
  await createBlobJobArchive(container).add(page);
  expect(await idsIn(container)).toEqual(page.map(({ record }) => record.jobId));
});

test("P29 where the storage is away, that is an outage", async () => {
  const nowhere =
    "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a";
  const storage = BlobServiceClient.fromConnectionString(nowhere, { retryOptions: { maxTries: 1 } });
  const archive = createBlobJobArchive(storage.getContainerClient("archive"));
  await expect(archive.add([over("f-1")])).rejects.toBeInstanceOf(ArchiveUnavailable);
});
