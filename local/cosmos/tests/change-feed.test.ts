// The change feed through the SDK's pull iterator: each document once, as it is now, after the place the reader has reached.
import {
  ChangeFeedMode,
  type ChangeFeedPullModelIterator,
  ChangeFeedStartFrom,
  PartitionKeyDefinitionVersion,
  PartitionKeyKind,
} from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

interface Changed {
  readonly id: string;
  readonly n: number;
}

async function drain(feed: ChangeFeedPullModelIterator<Changed>): Promise<string[]> {
  const changes: string[] = [];
  for (;;) {
    const { result, statusCode } = await feed.readNext();
    if (statusCode === 304) return changes;
    changes.push(...result.map(({ id, n }) => `${id}=${n}`));
  }
}

test("tells what changed since, a document at most once, and goes on from a continuation", async () => {
  for (const id of ["a", "b", "c"]) await at.orders.items.create({ id, orderId: "feed", n: 0 });
  await at.orders.items.upsert({ id: "a", orderId: "feed", n: 1 });
  const options = { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(), maxItemCount: 2 };
  const feed = at.orders.items.getChangeFeedIterator<Changed>(options);
  expect(await drain(feed)).toEqual(["b=0", "c=0", "a=1"]);

  await at.orders.items.upsert({ id: "b", orderId: "feed", n: 2 });
  const { continuationToken } = await feed.readNext();
  await at.orders.items.upsert({ id: "c", orderId: "feed", n: 3 });
  const resumed = { changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuationToken) };
  expect(await drain(at.orders.items.getChangeFeedIterator<Changed>(resumed))).toEqual(["c=3"]);
});

test("starts from now, and keeps to one partition key", async () => {
  const now = at.orders.items.getChangeFeedIterator<Changed>({ changeFeedStartFrom: ChangeFeedStartFrom.Now() });
  expect(await drain(now)).toEqual([]);
  await at.orders.items.create({ id: "new", orderId: "now", n: 1 });
  expect(await drain(now)).toEqual(["new=1"]);
  const one = { changeFeedStartFrom: ChangeFeedStartFrom.Beginning("now") };
  expect(await drain(at.orders.items.getChangeFeedIterator<Changed>(one))).toEqual(["new=1"]);
});

const idsOf = async (feed: ChangeFeedPullModelIterator<Changed>) => {
  const changes = await drain(feed);
  return changes.map((change) => change.split("=")[0]);
};

test("keeps to a feed range, and goes on from its continuation", async () => {
  const { container } = await at.client.database("test").containers.create({ id: "ranges", partitionKey: "/pk" });
  for (let n = 0; n < 6; n += 1) await container.items.create({ id: `${n}`, pk: `${n % 2}`, n });
  const [whole, ...others] = await container.getFeedRanges();
  expect(others).toEqual([]);
  const from = ChangeFeedStartFrom.Beginning(whole);
  const feed = container.items.getChangeFeedIterator<Changed>({ changeFeedStartFrom: from, maxItemCount: 4 });
  const { result, continuationToken } = await feed.readNext();
  expect(result.map(({ id }) => id)).toEqual(["0", "1", "2", "3"]);
  const rest = { changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuationToken) };
  expect(await idsOf(container.items.getChangeFeedIterator<Changed>(rest))).toEqual(["4", "5"]);
});

test("keeps to the keys under the start of a hierarchical one", async () => {
  const partitionKey = {
    paths: ["/tenant", "/user"],
    kind: PartitionKeyKind.MultiHash,
    version: PartitionKeyDefinitionVersion.V2,
  };
  const { container } = await at.client.database("test").containers.create({ id: "tree", partitionKey });
  for (const [tenant, user] of [
    ["a", "u"],
    ["b", "u"],
    ["a", "v"],
  ]) {
    await container.items.create({ id: `${tenant}${user}`, tenant, user, n: 0 });
  }
  const under = (key: string[]) => {
    const options = { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(key) };
    return idsOf(container.items.getChangeFeedIterator<Changed>(options));
  };
  expect(await under(["a"])).toEqual(["au", "av"]);
  expect(await under(["a", "v"])).toEqual(["av"]);
  expect(await under(["c"])).toEqual([]);
});

test("begins at a time however many changes are older", async () => {
  const { container } = await at.client.database("test").containers.create({ id: "times", partitionKey: "/pk" });
  const write = async (from: number, count: number) => {
    const operations = Array.from({ length: count }, (_, n) => ({
      operationType: "Create" as const,
      resourceBody: { id: `${from + n}`, pk: "p", n: from + n },
    }));
    await container.items.batch(operations, "p");
  };
  for (let from = 0; from < 300; from += 100) await write(from, 100);
  const { _ts } = (await container.item("299", "p").read()).resource ?? {};
  // The next second, for the feed and `_ts` count in seconds.
  while (Math.floor(Date.now() / 1000) <= Number(_ts)) await new Promise((resolve) => setImmediate(resolve));
  const start = new Date((Number(_ts) + 1) * 1000);
  await write(300, 2);
  const options = { changeFeedStartFrom: ChangeFeedStartFrom.Time(start), maxItemCount: 10 };
  expect(await idsOf(container.items.getChangeFeedIterator<Changed>(options))).toEqual(["300", "301"]);
});

test("has each change's place in the order of writes", async () => {
  const options = { changeFeedStartFrom: ChangeFeedStartFrom.Beginning() };
  const { result } = await at.orders.items.getChangeFeedIterator<{ _lsn: number }>(options).readNext();
  const places = result.map(({ _lsn }) => _lsn);
  expect(places.length).toBeGreaterThan(1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test("of all versions and deletes is refused by name", async () => {
  const options = {
    changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes,
    changeFeedStartFrom: ChangeFeedStartFrom.Now(),
  };
  const failing = at.orders.items.getChangeFeedIterator(options).readNext();
  await expect(failing).rejects.toMatchObject({ message: expect.stringContaining("latest-version") });
});
