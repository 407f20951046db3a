// The change feed through the SDK's pull iterator: each document once, as it is now, after the place the reader has reached.
import {
  ChangeFeedMode,
  type ChangeFeedPullModelIterator,
  ChangeFeedStartFrom,
  PartitionKeyDefinitionVersion,
  PartitionKeyKind,
} from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer({ sweepEveryMs: 50 });
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

describe("of all versions and deletes", () => {
  interface Version {
    current?: { id?: string; n?: number };
    previous?: { id?: string; n?: number };
    metadata: { operationType: string; lsn: number; timeToLiveExpired?: boolean };
  }
  const { AllVersionsAndDeletes: changeFeedMode } = ChangeFeedMode;
  const from = (changeFeedStartFrom: ChangeFeedStartFrom) => ({ changeFeedMode, changeFeedStartFrom, maxItemCount: 3 });
  const versioned = async (id: string) => {
    const definition = { id, partitionKey: "/pk", defaultTtl: -1, changeFeedPolicy: { retentionDuration: 5 } };
    return (await at.client.database("test").containers.create(definition)).container;
  };

  test("has every write, and what was deleted as it was", async () => {
    const container = await versioned("versions");
    await container.items.create({ id: "before", pk: "p" });
    const iterator = container.items.getChangeFeedIterator<Version>(from(ChangeFeedStartFrom.Now()));
    expect((await iterator.readNext()).statusCode).toBe(304);
    await container.items.create({ id: "a", pk: "p", n: 1 });
    await container.items.upsert({ id: "a", pk: "p", n: 2 });
    await container.item("a", "p").patch([{ op: "incr", path: "/n", value: 1 }]);
    await container.items.create({ id: "b", pk: "q", n: 4, ttl: 1 });
    await container.item("a", "p").delete();
    const versions: Version[] = [];
    for (let page = await iterator.readNext(); page.result.length > 0; page = await iterator.readNext()) {
      versions.push(...page.result);
    }
    expect(
      versions.map(({ metadata, current, previous }) => [metadata.operationType, current?.n, previous?.n]),
    ).toEqual([
      ["create", 1, undefined],
      ["replace", 2, undefined],
      ["replace", 3, undefined],
      ["create", 4, undefined],
      ["delete", undefined, 3],
    ]);
    const ofKey = container.items.getChangeFeedIterator<Version>(from(ChangeFeedStartFrom.Now("q")));
    await ofKey.readNext();
    const next = async () => (await ofKey.readNext()).result;
    await expect
      .poll(next, { interval: 100 })
      .toMatchObject([{ metadata: { operationType: "delete", timeToLiveExpired: true }, previous: { id: "b" } }]);
  });

  test("begins no earlier than the retention period", async () => {
    const container = await versioned("retained");
    await container.items.create({ id: "a", pk: "p" });
    for (const start of [ChangeFeedStartFrom.Beginning(), ChangeFeedStartFrom.Time(new Date(0))]) {
      const failing = container.items.getChangeFeedIterator(from(start)).readNext();
      await expect(failing).rejects.toMatchObject({
        code: 400,
        message: expect.stringContaining("You must read the change feed from within the retention period."),
      });
    }
  });

  test("needs a policy that keeps them", async () => {
    const failing = at.orders.items.getChangeFeedIterator(from(ChangeFeedStartFrom.Now())).readNext();
    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining("needs a changeFeedPolicy") });
  });
});
