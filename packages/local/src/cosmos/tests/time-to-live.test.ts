// Time to live through the SDK: what has expired is gone at once for every operation, and swept off the disk later.
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerDefinition } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COSMOS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const PAST_A_SECOND_MS = 1050;
/** Longer than the first test takes until it waits for a sweep, on a slow machine too. */
const SWEEP_EVERY_MS = 6000;

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer({ sweepEveryMs: SWEEP_EVERY_MS });
});
afterAll(() => at.stop());

test("expired documents are invisible to reads, queries, counts and creates, and then swept", async () => {
  const orderId = "expiring";
  const short = { orderId, ttl: 1, dueAt: "2020", processState: "Pending" };
  for (const id of ["read", "again", "kept", "left"]) await at.orders.items.create({ ...short, id });
  await at.orders.items.create({ id: "forever", orderId });
  await at.orders.items.create({ id: "never", orderId, ttl: -1 });
  // A later write gives the document another time, or none.
  await at.orders.item("kept", orderId).patch([{ op: "remove", path: "/ttl" }]);
  const due = () =>
    at.orders.items.query("SELECT VALUE c.id FROM c WHERE c.dueAt < '2030' ORDER BY c.dueAt").fetchAll();
  expect((await due()).resources).toEqual(["read", "again", "kept", "left"]);
  await sleep(PAST_A_SECOND_MS);

  expect((await at.counts())["swept"]).toBe(0);
  expect((await at.orders.item("read", orderId).read()).statusCode).toBe(404);
  expect((await due()).resources).toEqual(["kept"]);
  const open = "SELECT VALUE COUNT(1) FROM c WHERE c.processState = 'Pending'";
  expect((await at.orders.items.query(open).fetchAll()).resources).toEqual([1]);
  const patch = at.orders.item("left", orderId).patch([{ op: "set", path: "/a", value: 1 }]);
  await expect(patch).rejects.toMatchObject({ code: 404 });
  expect((await at.orders.items.create({ id: "again", orderId })).statusCode).toBe(201);

  await expect.poll(async () => (await at.counts())["swept"], { timeout: 10 * SWEEP_EVERY_MS }).toBe(2);
  const { resources } = await at.orders.items.query("SELECT VALUE c.id FROM c", { partitionKey: orderId }).fetchAll();
  expect(resources.sort()).toEqual(["again", "forever", "kept", "never"]);
});

test("without a default time to live a document's own is ignored, and a default counts for all others", async () => {
  const { container } = await at.client
    .database("test")
    .containers.create({ id: "second", partitionKey: "/pk", defaultTtl: 1 });
  await at.plain.items.create({ id: "own", pk: "a", ttl: 1 });
  await container.items.create({ id: "default", pk: "a" });
  await container.items.create({ id: "own", pk: "a", ttl: -1 });
  await sleep(PAST_A_SECOND_MS);
  expect((await at.plain.item("own", "a").read()).statusCode).toBe(200);
  expect((await container.item("default", "a").read()).statusCode).toBe(404);
  expect((await container.item("own", "a").read()).statusCode).toBe(200);
});

const creation = (definition: object) =>
  at.client
    .database("test")
    .containers.create({ partitionKey: { paths: ["/pk"] }, ...definition } as ContainerDefinition);

test(REJECTIONS.ttl.what, async () => {
  for (const ttl of [0, null]) {
    const creating = at.orders.items.create({ id: "none", orderId: "none", ttl } as object);
    await expect(creating, String(ttl)).rejects.toMatchObject({ code: 400 });
  }
  await expect(creation({ id: "zero", defaultTtl: 0 })).rejects.toMatchObject({ code: 400 });
  expect((await creation({ id: "off", defaultTtl: null })).statusCode).toBe(201);
});

test(REJECTIONS.ttlIndex.what, async () => {
  const indexingPolicy = { indexingMode: "none", automatic: false };
  await expect(creation({ id: "unindexed", indexingPolicy, defaultTtl: -1 })).rejects.toMatchObject({ code: 400 });
  const { container } = await creation({ id: "unindexed", indexingPolicy });
  const { resource } = await container.read();
  const replacing = container.replace({ ...resource, id: "unindexed", defaultTtl: 60 } as ContainerDefinition);
  await expect(replacing).rejects.toMatchObject({
    code: 400,
    message: expect.stringContaining("its mode is consistent"),
  });
});
