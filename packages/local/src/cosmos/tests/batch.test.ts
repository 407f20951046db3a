// Batches through the SDK: all or nothing whichever operation fails; and bulk, where each stands alone.
import type { JSONObject, OperationInput } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

const create = (id: string, orderId: string, more: JSONObject = {}): OperationInput => ({
  operationType: "Create",
  resourceBody: { id, orderId, ...more },
});

async function contents(orderId: string) {
  const { resources } = await at.orders.items
    .query("SELECT * FROM c ORDER BY c.id", { partitionKey: orderId })
    .fetchAll();
  return resources;
}

describe("an atomic batch", () => {
  test("does all six kinds of operation and answers each in turn", async () => {
    await at.orders.items.create({ id: "read", orderId: "all" });
    await at.orders.items.create({ id: "gone", orderId: "all" });
    const { etag } = await at.orders.items.create({ id: "patched", orderId: "all", n: 1 });
    const { code, result } = await at.orders.items.batch(
      [
        create("new", "all"),
        { operationType: "Upsert", resourceBody: { id: "upserted", orderId: "all" } },
        { operationType: "Replace", id: "read", resourceBody: { id: "read", orderId: "all", replaced: true } },
        { operationType: "Read", id: "read" },
        {
          operationType: "Patch",
          id: "patched",
          ifMatch: etag,
          resourceBody: { condition: "FROM c WHERE c.n = 1", operations: [{ op: "incr", path: "/n", value: 1 }] },
        },
        { operationType: "Delete", id: "gone" },
      ],
      "all",
    );
    expect(code).toBe(200);
    expect(result?.map(({ statusCode }) => statusCode)).toEqual([201, 201, 200, 200, 200, 204]);
    expect(result?.[3]?.resourceBody).toMatchObject({ replaced: true });
    expect(result?.[4]?.resourceBody).toMatchObject({ n: 2 });
    expect(result?.[0]?.eTag).toBe(result?.[0]?.resourceBody?.["_etag"]);
    expect((await contents("all")).map(({ id }) => id)).toEqual(["new", "patched", "read", "upserted"]);
  });

  test.each([0, 1, 2, 3, 4])(
    "that fails at operation %i changes nothing and says 424 for the others",
    async (failing) => {
      const orderId = `fails-${failing}`;
      await at.orders.items.create({ id: "there", orderId, n: 0 });
      await at.orders.items.create({ id: "doomed", orderId });
      const before = await contents(orderId);
      const operations: OperationInput[] = [
        create("first", orderId, { dueAt: "2025" }),
        { operationType: "Patch", id: "there", resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] } },
        { operationType: "Delete", id: "doomed" },
        { operationType: "Upsert", resourceBody: { id: "there", orderId, upserted: true } },
      ];
      operations.splice(failing, 0, create("there", orderId));
      const { code, result } = await at.orders.items.batch(operations, orderId);
      expect(code).toBe(207);
      expect(result?.map(({ statusCode }) => statusCode)).toEqual(
        operations.map((_, i) => (i === failing ? 409 : 424)),
      );
      expect(await contents(orderId)).toEqual(before);
    },
  );

  const unmet: [string, OperationInput, number][] = [
    [
      "an old ETag",
      { operationType: "Replace", id: "there", ifMatch: '"old"', resourceBody: { id: "there", orderId: "unmet" } },
      412,
    ],
    [
      "a condition that does not hold",
      {
        operationType: "Patch",
        id: "there",
        resourceBody: { condition: "FROM c WHERE c.n = 7", operations: [{ op: "set", path: "/n", value: 1 }] },
      },
      412,
    ],
    ["a document that is not there", { operationType: "Read", id: "nowhere" }, 404],
    ["another partition key", create("stray", "elsewhere"), 400],
  ];
  test.each(unmet)("is undone by %s", async (_, failing, status) => {
    await at.orders.items.upsert({ id: "there", orderId: "unmet", n: 0 });
    const { result } = await at.orders.items.batch([create("undone", "unmet"), failing], "unmet");
    expect(result?.map(({ statusCode }) => statusCode)).toEqual([424, status]);
    expect((await contents("unmet")).map(({ id }) => id)).toEqual(["there"]);
  });

  test("stops at its first failure", async () => {
    await at.orders.items.create({ id: "there", orderId: "stops" });
    const { result } = await at.orders.items.batch(
      [create("there", "stops"), { operationType: "Read", id: "nowhere" }],
      "stops",
    );
    expect(result?.map(({ statusCode }) => statusCode)).toEqual([409, 424]);
  });

  test("leaves no trace in the indexes either", async () => {
    await at.orders.items.create({ id: "there", orderId: "index" });
    await at.orders.items.batch([create("due", "index", { dueAt: "1999" }), create("there", "index")], "index");
    const { resources } = await at.orders.items.query("SELECT VALUE c.id FROM c WHERE c.dueAt < '2000'").fetchAll();
    expect(resources).toEqual([]);
  });

  test("of two at once that create the same order one wins whole", async () => {
    const batch = (by: string) =>
      at.orders.items.batch([create("order", "race", { by }), create("state", "race", { by })], "race");
    const codes = (await Promise.all([batch("a"), batch("b"), batch("c")])).map(({ code }) => code);
    expect(codes.sort()).toEqual([200, 207, 207]);
    expect(new Set((await contents("race")).map(({ by }) => by)).size).toBe(1);
  });

  test("can leave the documents out of its answer", async () => {
    const { result } = await at.orders.items.batch([create("a", "minimal")], "minimal", {
      contentResponseOnWriteEnabled: false,
    });
    expect(result?.[0]).toMatchObject({ statusCode: 201 });
    expect(result?.[0]?.resourceBody).toBeUndefined();
  });
});

test("bulk does each operation on its own", async () => {
  await at.orders.items.create({ id: "there", orderId: "bulk-2" });
  const results = await at.orders.items.executeBulkOperations([
    { operationType: "Create", partitionKey: "bulk-1", resourceBody: { id: "new", orderId: "bulk-1" } },
    { operationType: "Create", partitionKey: "bulk-2", resourceBody: { id: "there", orderId: "bulk-2" } },
    { operationType: "Upsert", partitionKey: "bulk-3", resourceBody: { id: "new", orderId: "bulk-3" } },
  ]);
  expect(results.map(({ response, error }) => response?.statusCode ?? error?.code)).toEqual([201, 409, 201]);
  expect(await contents("bulk-1")).toHaveLength(1);
  expect(await contents("bulk-3")).toHaveLength(1);
});
