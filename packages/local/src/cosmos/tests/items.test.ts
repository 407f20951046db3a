// Single documents through the SDK: what each operation answers, and under which condition it refuses.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COSMOS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { sendSigned } from "./signed-request.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

describe("create", () => {
  test("answers 201 with system properties, a charge and a session token", async () => {
    const { resource, statusCode, headers, etag } = await at.orders.items.create({
      id: "state",
      orderId: "c1",
      note: "é",
    });
    expect(statusCode).toBe(201);
    expect(resource).toMatchObject({ id: "state", orderId: "c1", note: "é", _attachments: "attachments/" });
    expect(resource?._etag).toBe(etag);
    expect(etag).toMatch(/^".+"$/);
    expect(Math.abs(Date.now() / 1000 - Number(resource?._ts))).toBeLessThan(3);
    expect(Number(headers["x-ms-request-charge"])).toBeGreaterThan(5);
    expect(headers["x-ms-session-token"]).toMatch(/^0:-1#\d+$/);
  });

  test("refuses an id that is there with 409, and takes it under another partition key", async () => {
    await at.orders.items.create({ id: "state", orderId: "c2" });
    expect(await codeOf(at.orders.items.create({ id: "state", orderId: "c2" }))).toBe(409);
    expect((await at.orders.items.create({ id: "state", orderId: "c3" })).statusCode).toBe(201);
  });

  test("refuses a bad time to live with 400", async () => {
    expect(await codeOf(at.orders.items.create({ id: "a", orderId: "c4", ttl: 0 }))).toBe(400);
    expect(await codeOf(at.orders.items.create<object>({ id: "a", orderId: "c4", ttl: null }))).toBe(400);
    expect((await at.orders.item("a", "c4").read()).statusCode).toBe(404);
  });

  test("refuses an id with a slash with 400, where the SDK lets one through", async () => {
    const operation = { operationType: "Create" as const, resourceBody: { id: "a/b", orderId: "c4" } };
    const { result } = await at.orders.items.batch([operation], "c4");
    expect(result?.map(({ statusCode }) => statusCode)).toEqual([400]);
  });

  test("takes an id with a question mark, or a blank at its beginning", async () => {
    for (const id of ["a?b", "  blank"]) {
      expect((await at.orders.items.create({ id, orderId: "c4" })).statusCode).toBe(201);
      expect((await at.orders.item(id, "c4").read()).resource).toMatchObject({ id });
      expect((await at.orders.item(id, "c4").delete()).statusCode).toBe(204);
    }
  });

  describe.each([
    [REJECTIONS.idEnd.what, 401, ["blank ", "blanks  ", "escape%20", "%E9%B1%80"]],
    // The answer is no JSON, so the SDK has no code for it.
    [REJECTIONS.idControl.what, undefined, ["a\tb", "line\nbreak", "return\r"]],
  ])("%s", (_, code, ids) => {
    test.each(ids)("%j", async (id) => {
      expect((await at.orders.items.create({ id, orderId: "c6" })).statusCode).toBe(201);
      const item = at.orders.item(id, "c6");
      expect(await codeOf(item.read())).toBe(code);
      expect(await codeOf(item.replace({ id, orderId: "c6" }))).toBe(code);
      expect(await codeOf(item.patch([{ op: "add", path: "/a", value: 1 }]))).toBe(code);
      expect(await codeOf(item.delete())).toBe(code);
      const { resources } = await at.orders.items.query("SELECT VALUE c.id FROM c", { partitionKey: "c6" }).fetchAll();
      expect(resources).toContain(id);
      const { result } = await at.orders.items.batch([{ operationType: "Delete", id }], "c6");
      expect(result?.map(({ statusCode }) => statusCode)).toEqual([204]);
    });
  });

  test("an id with a tab is a 400", async () => {
    const path = `dbs/test/colls/orders/docs/${encodeURIComponent("a\tb")}`;
    expect((await sendSigned(at.server, "GET", path)).status).toBe(400);
  });

  test("refuses more than 2 MB with 413", async () => {
    expect(await codeOf(at.orders.items.create({ id: "big", orderId: "c5", text: "x".repeat(2_200_000) }))).toBe(413);
  });
});

describe("read", () => {
  test("answers 404 without throwing where nothing is", async () => {
    const missing = await at.orders.item("state", "nobody").read();
    expect(missing.statusCode).toBe(404);
    expect(missing.resource).toBeUndefined();
  });

  test("finds ids and keys with blanks, quotes and umlauts", async () => {
    const id = `a b'"%ü`;
    await at.orders.items.create({ id, orderId: "Bestellung Ä '1'", deep: { list: [1, { two: null }] } });
    const { resource } = await at.orders.item(id, "Bestellung Ä '1'").read();
    expect(resource).toMatchObject({ id, deep: { list: [1, { two: null }] } });
  });

  test("answers 304 where If-None-Match names the version it has", async () => {
    const { etag } = await at.orders.items.create({ id: "state", orderId: "r1" });
    const condition = { type: "IfNoneMatch", condition: etag };
    expect((await at.orders.item("state", "r1").read({ accessCondition: condition })).statusCode).toBe(304);
    await at.orders.items.upsert({ id: "state", orderId: "r1", changed: true });
    expect((await at.orders.item("state", "r1").read({ accessCondition: condition })).statusCode).toBe(200);
  });
});

describe("upsert", () => {
  test("creates with 201, then replaces with 200 and a new ETag", async () => {
    const first = await at.orders.items.upsert({ id: "state", orderId: "u1", a: 1 });
    const second = await at.orders.items.upsert({ id: "state", orderId: "u1", b: 2 });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(second.resource).not.toHaveProperty("a");
    expect(second.etag).not.toBe(first.etag);
    expect(second.resource?._rid).toBe(first.resource?._rid);
  });

  test("refuses an old ETag with 412 where the document exists, and ignores it where not", async () => {
    const accessCondition = { type: "IfMatch", condition: '"old"' };
    expect((await at.orders.items.upsert({ id: "state", orderId: "u2" }, { accessCondition })).statusCode).toBe(201);
    expect(await codeOf(at.orders.items.upsert({ id: "state", orderId: "u2" }, { accessCondition }))).toBe(412);
  });
});

describe("replace", () => {
  test("needs the ETag it is given, and the second of two writers loses", async () => {
    const { etag } = await at.orders.items.create({ id: "state", orderId: "p1", n: 0 });
    const options = { accessCondition: { type: "IfMatch", condition: etag } };
    const item = at.orders.item("state", "p1");
    expect((await item.replace({ id: "state", orderId: "p1", n: 1 }, options)).statusCode).toBe(200);
    expect(await codeOf(item.replace({ id: "state", orderId: "p1", n: 2 }, options))).toBe(412);
    expect((await item.read()).resource).toMatchObject({ n: 1 });
  });

  test("answers 404 where nothing is, 400 where id or partition key would change", async () => {
    expect(await codeOf(at.orders.item("state", "p2").replace({ id: "state", orderId: "p2" }))).toBe(404);
    await at.orders.items.create({ id: "state", orderId: "p3" });
    const item = at.orders.item("state", "p3");
    expect(await codeOf(item.replace({ id: "other", orderId: "p3" }))).toBe(400);
    expect(await codeOf(item.replace({ id: "state", orderId: "p4" }))).toBe(400);
  });
});

describe("delete", () => {
  test("answers 204, then 404", async () => {
    await at.orders.items.create({ id: "state", orderId: "d1" });
    expect((await at.orders.item("state", "d1").delete()).statusCode).toBe(204);
    expect(await codeOf(at.orders.item("state", "d1").delete())).toBe(404);
  });

  test("refuses an old ETag with 412 and leaves the document", async () => {
    const { etag } = await at.orders.items.create({ id: "state", orderId: "d2" });
    await at.orders.items.upsert({ id: "state", orderId: "d2", newer: true });
    const options = { accessCondition: { type: "IfMatch", condition: etag } };
    expect(await codeOf(at.orders.item("state", "d2").delete(options))).toBe(412);
    expect((await at.orders.item("state", "d2").read()).resource).toMatchObject({ newer: true });
  });
});

test("a document without the partition key property is found under none", async () => {
  await at.plain.items.create({ id: "keyless" });
  expect((await at.plain.item("keyless", undefined).read()).statusCode).toBe(200);
  expect((await at.plain.item("keyless", "x").read()).statusCode).toBe(404);
});

test("what the app reads back is exactly what it wrote", async () => {
  const document = { id: "exact", pk: "e", n: 0.1, big: 9007199254740991, no: false, nil: null, empty: {}, list: [[]] };
  await at.plain.items.create(document);
  const { resource } = await at.plain.item("exact", "e").read();
  const own = Object.fromEntries(Object.entries(resource ?? {}).filter(([key]) => !key.startsWith("_")));
  expect(own).toEqual(document);
});
