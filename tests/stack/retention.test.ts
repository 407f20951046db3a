// Retention through the whole stack: what the documents of an order that is over look like, and that they go together.

import { setTimeout as sleep } from "node:timers/promises";
import { BlobServiceClient } from "@azure/storage-blob";
import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { hasEnded, type ProcessState, REMOVED } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { sampleOrder, sampleRecord } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf, databaseOf, seenByAll } from "../support/store.ts";
import { startTestStack, type TestStack, UNCOUNTED } from "../support/test-stack.ts";

const ended = ({ processState }: { processState: ProcessState }) => hasEnded(processState);
const SHORT = { HousekeepingSchedule: "* * * * * *", ResubmitWithin: "PT1S" };

interface StoredDocument {
  readonly id: string;
  readonly ttl?: number;
  readonly _ts: number;
  readonly job?: { readonly paymentToken: string };
}

async function documentsOf(app: TestStack, orderId: string): Promise<StoredDocument[]> {
  await seenByAll();
  const query = containerOf(app.settings).items.query<StoredDocument>("SELECT * FROM c", { partitionKey: orderId });
  return (await query.fetchAll()).resources;
}

describe("the price", () => {
  let app: TestStack;
  beforeAll(async () => {
    app = await startTestStack({ appSettings: { ...UNCOUNTED, EndedJobsKeptFor: "P1D" } });
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  test.each([
    ["three-steps", { batch: 2, patch: [3], replace: [0], read: [0] }],
    // One patch fewer where the reply over the queue comes last: it has read that the step beside it is done.
    ["order-fulfilment", { batch: 2, patch: [5, 6], replace: [0], read: [1] }],
  ])("P29 closing an order of the workflow %s costs it no request more: %o", async (workflow, wanted) => {
    const counts = async () =>
      (await (await fetch(new URL("/$counts", app.stack.addresses.cosmos?.endpoint))).json()) as Record<string, number>;
    const before = await counts();
    await app.shop.send({ ...madeOrder(`closed-${workflow}`), workflow });
    await app.eventually(`closed-${workflow}`, ended);
    const after = await counts();
    for (const [kind, counted] of Object.entries(wanted)) {
      expect([counted].flat(), kind).toContain((after[kind] ?? 0) - (before[kind] ?? 0));
    }
  });
});

describe("without an archive", () => {
  let app: TestStack;
  beforeAll(async () => {
    app = await startTestStack({ appSettings: { ...SHORT, EndedJobsKeptFor: "PT10S" } });
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  test("P29 all documents have one time to live from one write, no token, and go at the same moment", async () => {
    await app.shop.send(madeOrder("goes-1"));
    await app.eventually("goes-1", ended);
    const documents = await documentsOf(app, "goes-1");
    expect(documents.map(({ id }) => id).sort()).toEqual(["job", "state"]);
    expect(documents.map(({ ttl }) => ttl)).toEqual([10, 10]);
    expect(documents[0]?._ts).toBe(documents[1]?._ts);
    expect(documents.find(({ id }) => id === "job")?.job?.paymentToken).toBe(REMOVED);
    const seen = new Set<number>();
    for (let left = documents.length; left > 0; await sleep(50)) {
      left = (await documentsOf(app, "goes-1")).length;
      seen.add(left);
    }
    expect([...seen]).toEqual([2, 0]);
    const published = () => app.statuses("goes-1").map(({ subject }) => subject);
    expect(published().at(-1)).toBe("Completed");
  });

  test("P29 an order that was compensated keeps its token as long as it may be resubmitted, and is closed then", async () => {
    await app.switchOn("shipping", { kind: "reject", status: 422, message: "no", match: { orderId: "compensated-1" } });
    await app.shop.send({ ...madeOrder("compensated-1"), workflow: "order-fulfilment" });
    const compensated = await app.eventually(
      "compensated-1",
      (record) => record.processState === "Compensated" && ended(record),
    );
    expect(compensated).not.toHaveProperty("keptUntil");
    await app.eventually("compensated-1", ({ keptUntil }) => keptUntil !== undefined);
    const documents = await documentsOf(app, "compensated-1");
    expect(documents.map(({ ttl }) => ttl)).toEqual([10, 10]);
    expect(documents[0]?._ts).toBe(documents[1]?._ts);
  });

  test("an operator has an order erased that is over, and no other; then it is gone, and the audit log has who asked", async () => {
    const ask = async (path: string, body?: object) => {
      const headers = { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" };
      const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : {};
      return (await app.call(`api/jobs/${path}`, options)).status;
    };
    await app.switchOn("inventory", { kind: "slow", delayMs: 3000, match: { orderId: "erased-1" } });
    await app.shop.send(madeOrder("erased-1"));
    await app.eventually("erased-1", () => true);
    expect(await ask("erased-1/erase", { reason: "she asked for it" })).toBe(409);
    expect(await ask("erased-1/erase", {})).toBe(400);
    await app.eventually("erased-1", ended);
    expect(await ask("erased-1/erase", { reason: "she asked for it" })).toBe(200);
    expect(await documentsOf(app, "erased-1")).toEqual([]);
    expect([await ask("erased-1"), await ask("erased-1/erase", { reason: "again" })]).toEqual([404, 404]);
    const auditLog = databaseOf(app.settings).container("audit");
    const query = "SELECT c.operator, c.outcome FROM c WHERE c.action = 'erase' ORDER BY c.at";
    expect((await auditLog.items.query(query).fetchAll()).resources).toMatchObject([
      { outcome: expect.stringContaining("rejected") },
      { operator: "ada@example.com", outcome: "to be erased" },
    ]);
  });

  test("P29 a closed order that gets a new token stays, with all of its documents", async () => {
    const orders = containerOf(app.settings);
    const store = createCosmosJobStore(sampleContainer(orders));
    await app.shop.send(madeOrder("stays-1"));
    await app.eventually("stays-1", ended);
    await seenByAll();
    const read = await store.state("stays-1");
    if (!read?.record.keptUntil) throw new Error("it is not closed");
    const { keptUntil: _closed, ...open } = read.record;
    const written = await store.revise(read, { ...open, jobRevision: 2 }, sampleOrder("stays-1"));
    expect(written.kind).toBe("written");
    const documents = await documentsOf(app, "stays-1");
    expect(Object.fromEntries(documents.map(({ id, ttl }) => [id, ttl]))).toEqual({
      state: -1,
      job: -1,
      "job-2": undefined,
    });
  });
});

describe("with an archive", () => {
  let app: TestStack;
  beforeAll(async () => {
    app = await startTestStack({
      appSettings: { ...SHORT, EndedJobsKeptFor: "P1D", JobArchive: "order-archive" },
    });
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  test("P29 housekeeping archives an order that is over, then closes it: one line, no token, both documents", async () => {
    await app.shop.send(madeOrder("kept-1"));
    const record = await app.eventually("kept-1", ({ overAt }) => typeof overAt === "string");
    expect(record).not.toHaveProperty("ttl");
    // Five minutes later, for housekeeping.
    const long = "2026-01-01T12:00:00.000Z";
    await containerOf(app.settings)
      .item("state", "kept-1")
      .patch([{ op: "set", path: "/overAt", value: long }]);
    await app.eventually("kept-1", ({ keptUntil }) => typeof keptUntil === "string");
    expect((await documentsOf(app, "kept-1")).map(({ ttl }) => ttl)).toEqual([86_400, 86_400]);
    await sleep(2000);
    const storage = BlobServiceClient.fromConnectionString(app.settings["AzureWebJobsStorage"] ?? "");
    const blob = storage.getContainerClient("order-archive").getBlobClient("2026/01/01.jsonl");
    const lines = (await blob.downloadToBuffer()).toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        record: { jobId: "kept-1", processState: "Processed" },
        jobs: [{ orderId: "kept-1", paymentToken: REMOVED }],
      },
    ]);
    expect(lines.join()).not.toContain(madeOrder("kept-1").paymentToken);
  });
});

describe("a host that is killed while it closes orders", () => {
  const ORDERS = 300;
  const ids = Array.from({ length: ORDERS }, (_, index) => `many-${index}`);
  let app: TestStack;
  beforeAll(async () => {
    app = await startTestStack({
      appSettings: { ...SHORT, EndedJobsKeptFor: "P1D", JobArchive: "order-archive" },
    });
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  test("[housekeeping | orders that are over, between the archive and their closing | host killed] each stands in the archive once, and all are closed in the end", async () => {
    const store = createCosmosJobStore(sampleContainer(containerOf(app.settings)));
    await app.stack.kill("host");
    for (const [index, orderId] of ids.entries()) {
      const { dueAt: _due, ...record } = sampleRecord(orderId);
      const overAt = `2026-01-01T12:00:00.${String(index).padStart(3, "0")}Z`;
      await store.create(sampleOrder(orderId), { ...record, processState: "Processed", overAt });
    }
    const closed = async () => (await app.records.of(ids)).filter(({ keptUntil }) => keptUntil).length;
    const seen: number[] = [];
    for (let kills = 0; kills < 3; kills += 1) {
      const before = await closed();
      await app.stack.restart("host");
      await expect.poll(closed, { interval: 5 }).toBeGreaterThan(before);
      await app.stack.kill("host");
      seen.push(await closed());
    }
    expect(seen.some((count) => count > 0 && count < ORDERS)).toBe(true);
    await app.stack.restart("host");
    await expect.poll(closed).toBe(ORDERS);
    const storage = BlobServiceClient.fromConnectionString(app.settings["AzureWebJobsStorage"] ?? "");
    const blob = storage.getContainerClient("order-archive").getBlobClient("2026/01/01.jsonl");
    const lines = (await blob.downloadToBuffer()).toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).record.jobId)).toEqual(ids);
  });
});
