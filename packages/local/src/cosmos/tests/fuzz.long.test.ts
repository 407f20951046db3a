// Bytes of valid requests are changed, one at a time, by a printed seed: the server stays up and serves everyone else.
import { once } from "node:events";
import { connect } from "node:net";
import type { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wholeFrom } from "../../random.ts";
import { recordRequests } from "./recorded-requests.ts";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
/** Of so many bytes each one is tried, from a first one that the seed chooses; 1: all. */
const EVERY = Number(process.env["EVERY"] ?? 6);
/** Bytes that mean something to HTTP, JSON, the query language or a text decoder. */
const TELLING = Buffer.from(`\0\t\r\n "%&'()*+,-./019:;<=>?@[\\]_{|}~\x7f\x80\xc3\xff`, "latin1");

let at: TemporaryServer;
beforeAll(async () => {
  // With TLS the first byte decides who reads the rest.
  at = await temporaryServer({ tls: {} });
  await at.orders.items.create({ id: "healthy", orderId: "healthy" });
  for (let n = 0; n < 5; n += 1) await at.orders.items.create({ id: `q${n}`, orderId: "fuzz", dueAt: `${n}` });
});
afterAll(() => at.stop());

const random = wholeFrom(SEED);

async function work(client: CosmosClient): Promise<void> {
  const orders = client.database("test").container("orders");
  await orders.items.create({ id: "created", orderId: "fuzz", nested: { list: [1, "two", null] }, ttl: 3600 });
  await orders.items.batch(
    [
      { operationType: "Upsert", resourceBody: { id: "b1", orderId: "fuzz" } },
      { operationType: "Patch", id: "b1", resourceBody: [{ op: "incr", path: "/n", value: 1 }] },
      { operationType: "Read", id: "b1" },
    ],
    "fuzz",
  );
  const operations = [{ op: "set" as const, path: "/nested/list/0", value: 2 }];
  await orders.item("created", "fuzz").patch({ condition: "FROM c WHERE c.ttl > 1", operations });
  const query = {
    query:
      "SELECT TOP @n c.id, UPPER(c.orderId) AS o FROM c WHERE c.dueAt >= '1' AND STARTSWITH(c.id, 'q') ORDER BY c.dueAt",
    parameters: [{ name: "@n", value: 4 }],
  };
  await orders.items.query(query, { maxItemCount: 1, forceQueryPlan: true }).fetchAll();
  await orders.item("created", "fuzz").delete();
}

/** Sends the bytes on a connection of their own and waits until the server has answered or hung up. */
async function sendRaw(bytes: Buffer): Promise<void> {
  const socket = connect(at.server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.end(bytes);
  await once(socket, "close");
}

async function expectHealthy(context: string): Promise<void> {
  const { statusCode } = await at.orders.item("healthy", "healthy").read();
  expect(statusCode, context).toBe(200);
}

const WANTED: readonly (readonly [string, RegExp])[] = [
  ["item create", /^POST .*\/docs .*"id":"created"/s],
  ["batch", /^POST .*x-ms-cosmos-is-batch-request/is],
  ["patch", /^PATCH /],
  ["query plan", /^POST .*is-query-plan-request/is],
  ["query with a continuation", /^POST .*x-ms-continuation: /is],
  ["delete", /^DELETE /],
  ["key ranges", /^GET .*\/pkranges/],
];

test(`bytes of each request, SEED=${SEED}`, { timeout: 600_000 }, async () => {
  const requests = await recordRequests(at.server.port, work);
  for (const [name, pattern] of WANTED) {
    const request = requests.find((bytes) => pattern.test(bytes.toString("latin1")));
    if (!request) throw new Error(`No request was recorded for: ${name}.`);
    for (let index = SEED % EVERY; index < request.length; index += EVERY) {
      const mutated = Buffer.from(request);
      const to = random(2) === 0 ? (TELLING[random(TELLING.length)] ?? 0) : random(256);
      mutated[index] = to;
      await sendRaw(mutated);
      await expectHealthy(`SEED=${SEED}: ${name}, byte ${index} to ${to}`);
    }
    for (let cut = 1; cut < request.length; cut += 1 + random(20 * EVERY)) {
      await sendRaw(request.subarray(0, cut));
      await expectHealthy(`SEED=${SEED}: ${name}, cut at ${cut}`);
    }
  }
});
