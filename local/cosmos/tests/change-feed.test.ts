// The change feed through the SDK's pull iterator: each document once, as it is now, after the place the reader has reached.
import { type ChangeFeedPullModelIterator, ChangeFeedStartFrom } from "@azure/cosmos";
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
