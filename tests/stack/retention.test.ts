// Retention through the whole stack: what the documents of an order that is over look like, and that they go together.
import { setTimeout as sleep } from "node:timers/promises";
import { BlobServiceClient } from "@azure/storage-blob";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeOrder } from "../../cli/shop.ts";
import { REMOVED } from "../../shared/domain/order.ts";
import { createCosmosOrderStore } from "../../shared/store/cosmos-order-store.ts";
import { sampleOrder } from "../support/orders.ts";
import { containerOf, startTestStack, type TestStack } from "../support/test-stack.ts";

const ended = ({ processState }: { processState: string }) => processState === "Processed" || processState === "Error";
const SHORT = { HousekeepingSchedule: "* * * * * *", ResubmitWithin: "PT1S" };

interface StoredDocument {
  readonly id: string;
  readonly ttl?: number;
  readonly _ts: number;
  readonly order?: { readonly paymentToken: string };
}

async function documentsOf(app: TestStack, orderId: string): Promise<StoredDocument[]> {
  const query = containerOf(app.settings).items.query<StoredDocument>("SELECT * FROM c", { partitionKey: orderId });
  return (await query.fetchAll()).resources;
}

describe("without an archive", () => {
  let app: TestStack;
  beforeAll(async () => {
    app = await startTestStack({ appSettings: { ...SHORT, EndedOrdersKeptFor: "PT6S" } });
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  test.each([
    ["returns", { batch: 2, patch: 3, replace: 0, read: 0 }],
    ["order-fulfilment", { batch: 2, patch: 6, replace: 0, read: 1 }],
  ])("P29 closing an order of the workflow %s costs it no request more: %o", async (workflow, wanted) => {
    const counts = async () =>
      (await (await fetch(new URL("/$counts", app.stack.addresses.cosmos?.endpoint))).json()) as Record<string, number>;
    const before = await counts();
    await app.shop.send({ ...madeOrder(`closed-${workflow}`), workflow });
    await app.eventually(`closed-${workflow}`, ended);
    const after = await counts();
    const spent = Object.keys(wanted).map((kind) => [kind, (after[kind] ?? 0) - (before[kind] ?? 0)]);
    expect(Object.fromEntries(spent)).toEqual(wanted);
  });

  test("P29 all documents have one time to live from one write, no token, and go at the same moment", async () => {
    await app.shop.send(madeOrder("goes-1"));
    await app.eventually("goes-1", ended);
    const documents = await documentsOf(app, "goes-1");
    expect(documents.map(({ id }) => id).sort()).toEqual(["order", "state"]);
    expect(documents.map(({ ttl }) => ttl)).toEqual([6, 6]);
    expect(documents[0]?._ts).toBe(documents[1]?._ts);
    expect(documents.find(({ id }) => id === "order")?.order?.paymentToken).toBe(REMOVED);
    const seen = new Set<number>();
    for (let left = documents.length; left > 0; await sleep(50)) {
      left = (await documentsOf(app, "goes-1")).length;
      seen.add(left);
    }
    expect([...seen]).toEqual([2, 0]);
    const told = () => app.statuses("goes-1").map(({ subject }) => subject);
    expect(told().at(-1)).toBe("Completed");
  });

  test("P29 an order that was undone keeps its token as long as it may be resubmitted, and is closed then", async () => {
    await app.switchOn("shipping", { kind: "refuse", status: 422, message: "no", match: { orderId: "undone-1" } });
    await app.shop.send({ ...madeOrder("undone-1"), workflow: "order-fulfilment" });
    const undone = await app.eventually("undone-1", (record) => record.error?.kind === "undone" && ended(record));
    expect(undone).not.toHaveProperty("keptUntil");
    await app.eventually("undone-1", ({ keptUntil }) => keptUntil !== undefined);
    const documents = await documentsOf(app, "undone-1");
    expect(documents.map(({ ttl }) => ttl)).toEqual([6, 6]);
    expect(documents[0]?._ts).toBe(documents[1]?._ts);
  });

  test("P29 a closed order that gets a new token stays, with all of its documents", async () => {
    const orders = containerOf(app.settings);
    const store = createCosmosOrderStore(orders);
    await app.shop.send(madeOrder("stays-1"));
    await app.eventually("stays-1", ended);
    const read = await store.state("stays-1");
    if (!read?.record.keptUntil) throw new Error("it is not closed");
    const { keptUntil: _closed, ...open } = read.record;
    const written = await store.revise(read, { ...open, orderRevision: 2 }, sampleOrder("stays-1"));
    expect(written.kind).toBe("written");
    const documents = await documentsOf(app, "stays-1");
    expect(Object.fromEntries(documents.map(({ id, ttl }) => [id, ttl]))).toEqual({
      state: -1,
      order: -1,
      "order-2": undefined,
    });
  });
});

describe("with an archive", () => {
  let app: TestStack;
  beforeAll(async () => {
    app = await startTestStack({
      appSettings: { ...SHORT, EndedOrdersKeptFor: "P1D", OrderArchive: "order-archive" },
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
        record: { orderId: "kept-1", processState: "Processed" },
        orders: [{ orderId: "kept-1", paymentToken: REMOVED }],
      },
    ]);
    expect(lines.join()).not.toContain(madeOrder("kept-1").paymentToken);
  });
});
