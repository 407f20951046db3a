// Whoever gives a whole order id gets that order without a search; what else matches comes on the next page.

import { findJobs } from "@scheduler-agent-supervisor/core/operations/find-jobs";
import { createMemoryJobStore } from "@scheduler-agent-supervisor/core/store/memory-job-store";
import { expect, test } from "vitest";
import { sampleOrder, sampleRecord } from "../support/orders.ts";

async function storeOf(...orderIds: string[]) {
  const store = createMemoryJobStore();
  for (const orderId of orderIds) await store.create(sampleOrder(orderId), sampleRecord(orderId));
  const lists: unknown[] = [];
  return {
    lists,
    state: store.state,
    list: (query: Parameters<typeof store.list>[0]) => {
      lists.push(query);
      return store.list(query);
    },
  };
}

const idsOf = ({ jobs: orders }: Awaited<ReturnType<typeof findJobs>>) =>
  orders.map(({ jobId: orderId }) => orderId).sort();

test("an order's whole id: that order at once, then what has it as a part", async () => {
  const store = await storeOf("tea-1", "tea-10", "mug-1");
  const first = await findJobs({ text: "tea-1", limit: 10 }, store);
  expect(idsOf(first)).toEqual(["tea-1"]);
  expect(store.lists).toEqual([]);
  const next = await findJobs({ text: "tea-1", limit: 10, after: first.next }, store);
  expect(idsOf(next)).toEqual(["tea-10"]);
  expect(next.next).toBeUndefined();
});

test.each([
  [{ text: "tea" }, ["tea-1", "tea-10"]],
  [{ text: "tea-1", processState: "Pending" }, ["tea-1", "tea-10"]],
  [{ text: "tea-1", processState: "Error" }, []],
] as const)("%o is a search", async (filter, wanted) => {
  const store = await storeOf("tea-1", "tea-10", "mug-1");
  expect(idsOf(await findJobs({ ...filter, limit: 10 }, store))).toEqual(wanted);
  expect(store.lists).toHaveLength(1);
});
