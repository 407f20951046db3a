// Reads from a replica that lags behind: without a session token, never with one that asks for more, and never older than said.
import { setTimeout as sleep } from "node:timers/promises";
import { ConsistencyLevel, type Container, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EMULATOR_KEY } from "../resources/signature.ts";
import { sendSigned } from "./signed-request.ts";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const WITHIN_MS = 600;
let at: TemporaryServer;
/** Without `consistencyLevel` the SDK sends no session tokens. */
let session: CosmosClient;
let own: Container;

beforeAll(async () => {
  at = await temporaryServer({ staleReadsMs: WITHIN_MS });
  const { endpoint } = at.server;
  session = new CosmosClient({ endpoint, key: EMULATOR_KEY, consistencyLevel: ConsistencyLevel.Session });
  own = session.database("test").container("orders");
});
afterAll(async () => {
  session.dispose();
  await at.stop();
});

/** Writes until a read without a token misses one. */
async function missed(write: (at: number) => Promise<unknown>, isSeen: (at: number) => Promise<boolean>) {
  for (let attempt = 1; attempt <= 50; attempt += 1) {
    await write(attempt);
    if (!(await isSeen(attempt))) return;
  }
  throw new Error("Each read without a token found what was written last.");
}

test("a read without a token may find an older version, and finds the newest in time", async () => {
  await at.orders.items.create({ id: "state", orderId: "a", attempt: 0 });
  await sleep(WITHIN_MS * 1.2);
  const read = async (container: Container) => {
    const { resource } = await container.item("state", "a").read<{ attempt: number }>();
    return resource?.attempt;
  };
  let last = 0;
  await missed(
    (attempt) => {
      last = attempt;
      return own.item("state", "a").patch([{ op: "set", path: "/attempt", value: attempt }]);
    },
    async (attempt) => (await read(at.orders)) === attempt,
  );
  expect(await read(own)).toBe(last);
  await sleep(WITHIN_MS * 1.2);
  expect(await read(at.orders)).toBe(last);
  expect((await at.counts())["staleReads"]).toBeGreaterThan(0);
});

test("so may a query, and a document that was just made may be missing", async () => {
  await missed(
    (attempt) => at.orders.items.create({ id: `made-${attempt}`, orderId: "b", dueAt: attempt }),
    async (attempt) => {
      const query = `SELECT VALUE COUNT(1) FROM c WHERE c.orderId = 'b' AND c.dueAt = ${attempt}`;
      const { resources } = await at.orders.items.query<number>(query).fetchAll();
      return resources[0] === 1;
    },
  );
});

test("a session reads its own writes, and never goes back", async () => {
  await own.items.create({ id: "state", orderId: "c", attempt: 0 });
  for (let attempt = 1; attempt <= 30; attempt += 1) {
    await own.item("state", "c").patch([{ op: "set", path: "/attempt", value: attempt }]);
    expect((await own.item("state", "c").read()).resource).toMatchObject({ attempt });
    const { resources } = await own.items.query("SELECT VALUE c.attempt FROM c WHERE c.orderId = 'c'").fetchAll();
    expect(resources).toEqual([attempt]);
  }
});

test("a session that writes all the time misses what another wrote since its last write", async () => {
  await own.items.create({ id: "own", orderId: "e", attempt: 0 });
  await own.items.create({ id: "others", orderId: "f", attempt: 0 });
  let stale = 0;
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await own.item("own", "e").patch([{ op: "set", path: "/attempt", value: attempt }]);
    await sleep(WITHIN_MS / 4);
    await at.orders.item("others", "f").patch([{ op: "set", path: "/attempt", value: attempt }]);
    const { resource } = await own.item("others", "f").read<{ attempt: number }>();
    if (resource?.attempt !== attempt) stale += 1;
  }
  expect(stale).toBeGreaterThanOrEqual(8);
});

test("a document that was read stale fails by its ETag when it is replaced", async () => {
  await at.orders.items.create({ id: "state", orderId: "d", attempt: 0 });
  await sleep(WITHIN_MS * 1.2);
  const { resource: stale, etag } = await at.orders.item("state", "d").read();
  await own.item("state", "d").patch([{ op: "set", path: "/attempt", value: 1 }]);
  const accessCondition = { type: "IfMatch", condition: etag ?? "" };
  await expect(
    at.orders.item("state", "d").replace({ ...stale, attempt: 2 }, { accessCondition }),
  ).rejects.toMatchObject({
    code: 412,
  });
});

test("a token from the future is a 404 with substatus 1002", async () => {
  const answer = await sendSigned(at.server, "GET", "dbs/test/colls/orders/docs/state", {
    "x-ms-documentdb-partitionkey": '["d"]',
    "x-ms-session-token": "0:-1#99999999999999",
  });
  expect([answer.status, answer.headers.get("x-ms-substatus")]).toEqual([404, "1002"]);
});

test("a container that was just made is read at once, and one that is deleted is gone at once", async () => {
  const { container } = await session.database("test").containers.create({ id: "made", partitionKey: "/pk" });
  await container.items.create({ id: "one", pk: "a" });
  expect((await container.item("one", "a").read()).statusCode).toBe(200);
  await container.delete();
  await expect(session.database("test").container("made").items.readAll().fetchAll()).rejects.toMatchObject({
    code: 404,
  });
});
