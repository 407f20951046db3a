// Which order ids and reply queues a sender may use, by the queue that it sends to.
import { expect, test } from "vitest";
import { type OwnedQueue, orderIdFault, ownershipFaults, replyQueueFault } from "./owned-queue.ts";

const TEA: OwnedQueue = { queue: "orders-tea", owner: "tea", orderIdPrefix: "tea-", replyQueues: ["replies-tea"] };
const MUG: OwnedQueue = { queue: "orders-mug", owner: "mug", orderIdPrefix: "mug-", replyQueues: ["replies-mug"] };
const OWNED = [TEA, MUG];

test.each<[queue: string, orderId: string, may: boolean]>([
  ["orders-tea", "tea-1", true],
  ["orders-tea", "mug-1", false],
  ["orders-tea", "order-1", false],
  ["orders-tea", "TEA-1", false],
  ["orders", "order-1", true],
  ["orders", "tea-1", false],
  ["orders", "Tea-1", false],
  ["orders", "tea", true],
])("by %s an order may be called %s: %s", (queue, orderId, may) => {
  expect(orderIdFault(orderId, queue, OWNED) === undefined).toBe(may);
});

test.each<[queue: string, replyTo: string, may: boolean]>([
  ["orders-tea", "replies-tea", true],
  ["orders-tea", "Replies-Tea", true],
  ["orders-tea", "replies-mug", false],
  ["orders-tea", "replies-shop", false],
  ["orders", "replies-shop", true],
  ["orders", "replies-tea", false],
  ["orders", "REPLIES-tea", false],
])("an order by %s may be answered on %s: %s", (queue, replyTo, may) => {
  expect(replyQueueFault(replyTo, queue, OWNED) === undefined).toBe(may);
});

test.each<[why: string, other: Partial<OwnedQueue>, faults: number]>([
  ["nothing in common", {}, 0],
  ["another queue of the same owner", { owner: "tea", orderIdPrefix: "tea-", replyQueues: ["replies-tea"] }, 0],
  ["the same queue", { queue: "orders-tea" }, 1],
  ["a prefix that begins as the other", { orderIdPrefix: "tea-pot-" }, 1],
  ["a prefix with which the other begins, in another case", { orderIdPrefix: "T" }, 1],
  ["a reply queue of the other", { replyQueues: ["replies-mug", "replies-tea"] }, 1],
])("two entries with %s", (_, other, faults) => {
  expect(ownershipFaults([TEA, { ...MUG, ...other }])).toHaveLength(faults);
});
