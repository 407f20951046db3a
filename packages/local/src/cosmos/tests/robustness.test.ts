// One request that the server can't cope with fails alone: the process, and every other request, go on.
import { type Container, CosmosClient } from "@azure/cosmos";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { ItemTable } from "../items/item-table.ts";
import { sendSigned } from "./signed-request.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
const lines: string[] = [];
beforeAll(async () => {
  at = await temporaryServer({ log: (line) => lines.push(line) });
});
afterAll(() => at.stop());
afterEach(() => void vi.restoreAllMocks());

const createRaw = (body: string) =>
  sendSigned(at.server, "POST", "dbs/test/colls/plain/docs", { "x-ms-documentdb-partitionkey": '["p"]' }, body);

test.each(["注文", "größe ✓", "a b&c=d;e"])("a container may be called %s", async (id) => {
  const { container } = await at.client.database("test").containers.create({ id, partitionKey: "/pk" });
  await container.items.create({ id, pk: "1" });
  const { resource, headers } = await container.item(id, "1").read();
  expect(resource).toMatchObject({ id });
  expect(headers["x-ms-alt-content-path"]).toBe(encodeURI(`dbs/test/colls/${id}`));
  await container.delete();
});

/** What no known request does. */
function meetsBug(id: string): void {
  const { insert } = ItemTable.prototype;
  vi.spyOn(ItemTable.prototype, "insert").mockImplementation(function (this: ItemTable, ...given) {
    if (given[1] === id) throw new RangeError("a bug");
    return insert.apply(this, given);
  });
}

test("a bug that a request meets is a 500 with a body, is logged, and leaves the others be", async () => {
  meetsBug("bug");
  const healthy = Array.from({ length: 20 }, (_, n) => at.plain.items.create({ id: `healthy-${n}`, pk: "p" }));
  const [failed, ...others] = await Promise.all([createRaw('{"id":"bug","pk":"p"}'), ...healthy]);
  expect(failed.status).toBe(500);
  expect(await failed.json()).toMatchObject({ code: "InternalServerError", message: expect.stringContaining("a bug") });
  expect(others.map(({ statusCode }) => statusCode)).toEqual(others.map(() => 201));
  expect(lines.join("\n")).toMatch(/POST \/dbs\/test\/colls\/plain\/docs failed: RangeError/);
  expect((await at.plain.item("bug", "p").read()).statusCode).toBe(404);
});

test("a bug inside a batch takes back what the batch has done", async () => {
  meetsBug("second");
  const operations = JSON.stringify(
    ["first", "second"].map((id) => ({ operationType: "Create", resourceBody: { id, pk: "p" } })),
  );
  const headers = {
    "x-ms-documentdb-partitionkey": '["p"]',
    "x-ms-cosmos-is-batch-request": "True",
    "x-ms-cosmos-batch-atomic": "true",
  };
  const answer = await sendSigned(at.server, "POST", "dbs/test/colls/plain/docs", headers, operations);
  expect(answer.status).toBe(500);
  expect((await at.plain.item("first", "p").read()).statusCode).toBe(404);
});

test("a request of 100 MB is a 413 that is not kept in memory", async () => {
  const answer = await createRaw(`{"id":"large","pk":"p","text":"${"x".repeat(100_000_000)}"}`);
  expect(answer.status).toBe(413);
  expect((await at.plain.items.create({ id: "after-large", pk: "p" })).statusCode).toBe(201);
});

test("ids and property names that mean something to JavaScript or to SQLite are text like any other", async () => {
  const strange: readonly string[] = [
    "__proto__",
    "constructor",
    "a\u0000b",
    "'; DROP TABLE x; --",
    "%s%n",
    "\u{1F600}",
  ];
  for (const text of strange) {
    const document = JSON.parse(JSON.stringify({ id: text, pk: "s", own: { [text]: text } }));
    await at.plain.items.create(document);
    const { resource } = await at.plain.item(text, "s").read();
    expect(JSON.stringify(resource?.own)).toBe(JSON.stringify(document.own));
    const found = at.plain.items.query({
      query: "SELECT VALUE c.id FROM c WHERE c.id = @id",
      parameters: [{ name: "@id", value: text }],
    });
    expect((await found.fetchAll()).resources).toEqual([text]);
    await at.plain.item(text, "s").patch([{ op: "set", path: `/own/${text}`, value: "patched" }]);
    expect((await at.plain.item(text, "s").read()).resource?.own[text]).toBe("patched");
  }
});

test("another client's container is served while one client sends nonsense", async () => {
  const nonsense: [string, string][] = [
    ["GET", "%"],
    ["POST", "dbs/%ZZ/colls"],
    ["PUT", "dbs//colls//docs"],
    ["PATCH", "dbs/test/colls/plain/docs/%00"],
  ];
  for (const [method, path] of nonsense) {
    const answer = await fetch(at.server.endpoint + path, { method, ...(method === "GET" ? {} : { body: "{" }) });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  }
  const client = new CosmosClient(at.server.connectionString);
  const container: Container = client.database("test").container("plain");
  expect(await codeOf(container.items.create({ id: "healthy-0", pk: "p" }))).toBe(409);
  client.dispose();
});
