// Patches through the SDK: the six operations, the condition that guards them, and many clients on one document.
import type { PatchOperation } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COSMOS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
let made = 0;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

async function document(content: object) {
  made += 1;
  const orderId = `patch-${made}`;
  const { resource } = await at.orders.items.create({ id: "state", orderId, ...content });
  return at.orders.item("state", resource?.orderId ?? orderId);
}

const WORKS: [string, object, PatchOperation[], object][] = [
  ["add a property", { a: 1 }, [{ op: "add", path: "/b", value: { c: [1] } }], { a: 1, b: { c: [1] } }],
  ["add into an array", { l: [1, 3] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2, 3] }],
  ["add at the end of an array", { l: [1] }, [{ op: "add", path: "/l/-", value: 2 }], { l: [1, 2] }],
  ["set over a property", { a: { b: 1 } }, [{ op: "set", path: "/a/b", value: null }], { a: { b: null } }],
  ["set over an element", { l: [1, 2] }, [{ op: "set", path: "/l/0", value: 9 }], { l: [9, 2] }],
  ["replace", { a: 1 }, [{ op: "replace", path: "/a", value: "x" }], { a: "x" }],
  [
    "remove",
    { a: 1, l: [1, 2] },
    [
      { op: "remove", path: "/a" },
      { op: "remove", path: "/l/0" },
    ],
    { l: [2] },
  ],
  [
    "incr",
    { n: 1.5 },
    [
      { op: "incr", path: "/n", value: -0.5 },
      { op: "incr", path: "/m", value: 3 },
    ],
    { n: 1, m: 3 },
  ],
  ["move", { a: { b: 1 } }, [{ op: "move", from: "/a/b", path: "/c" } as unknown as PatchOperation], { a: {}, c: 1 }],
  ["escaped names", { "x/y": 1 }, [{ op: "set", path: "/x~1y", value: 2 }], { "x/y": 2 }],
];

const REFUSED: [string, PatchOperation][] = [
  ["replace of nothing", { op: "replace", path: "/nothing", value: 1 }],
  ["remove of nothing", { op: "remove", path: "/nothing" }],
  ["add below nothing", { op: "add", path: "/nothing/below", value: 1 }],
  ["an index out of range", { op: "add", path: "/l/5", value: 1 }],
  ["an index with a leading zero", { op: "add", path: "/l/01", value: 1 }],
  ["incr of a text", { op: "incr", path: "/text", value: 1 }],
  ["move of nothing", { op: "move", from: "/nothing", path: "/a" } as unknown as PatchOperation],
  ["an unknown operation", { op: "test", path: "/a", value: 1 } as unknown as PatchOperation],
];

describe("operations", () => {
  test.each(WORKS)("%s", async (_, before, operations, after) => {
    const item = await document(before);
    const { resource, statusCode } = await item.patch(operations);
    expect(statusCode).toBe(200);
    expect(resource).toMatchObject(after);
    const { resource: stored } = await item.read();
    const own = Object.entries(stored ?? {}).filter(([key]) => !/^(_.*|id|orderId)$/.test(key));
    expect(Object.fromEntries(own)).toEqual(after);
  });

  test.each(REFUSED)(
    "%s is a 400 that changes nothing, though an operation before it was fine",
    async (_, operation) => {
      const item = await document({ l: [1], text: "t", a: 0 });
      const before = (await item.read()).resource;
      expect(await codeOf(item.patch([{ op: "set", path: "/a", value: 1 }, operation]))).toBe(400);
      expect((await item.read()).resource).toEqual(before);
    },
  );

  describe(REJECTIONS.patchIdentity.what, () => {
    test.each(["/id", "/orderId", "/_ts", "/_etag"])("%s", async (path) => {
      const item = await document({ a: 1 });
      expect(await codeOf(item.patch([{ op: "set", path, value: "other" }]))).toBe(400);
      expect(await codeOf(item.patch([{ op: "remove", path }]))).toBe(400);
      const move = { op: "move", from: path, path: "/moved" } as unknown as PatchOperation;
      await expect(item.patch([move])).rejects.toMatchObject({ code: 400, message: expect.stringContaining(path) });
    });
  });

  test(REJECTIONS.patchTilde.what, async () => {
    const item = await document({ "a~": 1, "~x": {} });
    const set = (path: string) => item.patch([{ op: "set", path, value: 2 }]);
    for (const path of ["/a~", "/~x/b", "/a~2"]) expect(await codeOf(set(path)), path).toBe(400);
    expect((await set("/a~0")).resource).toMatchObject({ "a~": 2 });
    const move = { op: "move", from: "/a~", path: "/b" } as unknown as PatchOperation;
    expect(await codeOf(item.patch([move]))).toBe(400);
  });

  test(REJECTIONS.patchDigits.what, async () => {
    const item = await document({ names: {} });
    const add = (digits: number) => item.patch([{ op: "add", path: `/names/${"1".repeat(digits)}`, value: 2 }]);
    expect(await codeOf(add(20))).toBe(400);
    expect((await add(19)).statusCode).toBe(200);
  });

  test("10 operations are the most", async () => {
    const item = await document({ n: 0 });
    const operations = (count: number): PatchOperation[] =>
      Array.from({ length: count }, () => ({ op: "incr", path: "/n", value: 1 }));
    expect((await item.patch(operations(10))).resource).toMatchObject({ n: 10 });
    expect(await codeOf(item.patch(operations(11)))).toBe(400);
  });

  test("nothing to patch is a 404", async () => {
    expect(await codeOf(at.orders.item("state", "nobody").patch([{ op: "set", path: "/a", value: 1 }]))).toBe(404);
  });
});

describe("conditions", () => {
  test.each([
    ["FROM c WHERE c.lockedBy = null AND c.attempt = 1", true],
    ["from c where c.lockedBy = 'x'", false],
    ["from x where x.steps.pay.state = 'Running' AND NOT IS_DEFINED(x.nothing)", true],
    ["from c where c.nothing = 1", false],
    ["from c where NOT (c.nothing = 1)", false],
    ['from c where c["attempt"] IN (1, 2)', true],
  ])("%s holds: %s", async (condition, holds) => {
    const item = await document({ lockedBy: null, attempt: 1, steps: { pay: { state: "Running" } } });
    const before = (await item.read()).resource;
    const patch = item.patch({ condition, operations: [{ op: "set", path: "/lockedBy", value: "me" }] });
    if (holds) expect((await patch).resource).toMatchObject({ lockedBy: "me" });
    else {
      expect(await codeOf(patch)).toBe(412);
      expect((await item.read()).resource).toEqual(before);
    }
  });

  test("a condition that is no SQL is a 400", async () => {
    const item = await document({});
    expect(
      await codeOf(item.patch({ condition: "from c where", operations: [{ op: "set", path: "/a", value: 1 }] })),
    ).toBe(400);
  });

  test("an old ETag is a 412", async () => {
    const item = await document({ a: 0 });
    const accessCondition = { type: "IfMatch", condition: '"old"' };
    expect(await codeOf(item.patch([{ op: "set", path: "/a", value: 1 }], { accessCondition }))).toBe(412);
  });

  test("of 50 claims at once exactly one wins", async () => {
    const item = await document({ lockedBy: null });
    const claims = Array.from({ length: 50 }, async (_, claimant) => {
      try {
        const operations: PatchOperation[] = [{ op: "set", path: "/lockedBy", value: claimant }];
        await item.patch({ condition: "FROM c WHERE c.lockedBy = null", operations });
        return claimant;
      } catch (cause) {
        expect((cause as { code: number }).code).toBe(412);
        return undefined;
      }
    });
    const winners = (await Promise.all(claims)).filter((claimant) => claimant !== undefined);
    expect(winners).toHaveLength(1);
    expect((await item.read()).resource).toMatchObject({ lockedBy: winners[0] });
  });

  test("50 increments at once all count", async () => {
    const item = await document({ n: 0 });
    await Promise.all(Array.from({ length: 50 }, () => item.patch([{ op: "incr", path: "/n", value: 1 }])));
    expect((await item.read()).resource).toMatchObject({ n: 50 });
  });
});

describe("size", () => {
  const LARGE = "é".repeat(450_000);
  const grow = (at: number): PatchOperation[] => [{ op: "set", path: `/part${at}`, value: LARGE }];

  test("a document that a patch makes larger than 2 MB is a 413, and stays as it was", async () => {
    const item = await document({});
    await item.patch(grow(1));
    await item.patch(grow(2));
    const { resource: before } = await item.read();
    expect(await codeOf(item.patch(grow(3)))).toBe(413);
    expect((await item.read()).resource).toEqual(before);
  });

  test("a patch in a batch is too, and takes the batch with it", async () => {
    const item = await document({ orderId: "large" });
    await item.patch(grow(1));
    await item.patch(grow(2));
    const { result } = await at.orders.items.batch(
      [
        { operationType: "Create", resourceBody: { id: "beside", orderId: "large" } },
        { operationType: "Patch", id: "state", resourceBody: { operations: grow(3) } },
      ],
      "large",
    );
    expect(result?.map(({ statusCode }) => statusCode)).toEqual([424, 413]);
    expect((await at.orders.item("beside", "large").read()).statusCode).toBe(404);
  });

  test("one in a bulk request is refused alone", async () => {
    const item = await document({ orderId: "large-too" });
    await item.patch(grow(1));
    await item.patch(grow(2));
    const results = await at.orders.items.executeBulkOperations([
      { operationType: "Patch", id: "state", partitionKey: "large-too", resourceBody: { operations: grow(3) } },
      { operationType: "Create", partitionKey: "large-too", resourceBody: { id: "beside", orderId: "large-too" } },
    ]);
    expect(results.map(({ response, error }) => response?.statusCode ?? error?.code)).toEqual([413, 201]);
  });
});
