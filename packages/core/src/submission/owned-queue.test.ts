// Which job ids and reply queues a sender may use, by the queue that it sends to.
import { expect, test } from "vitest";
import { jobIdFault, type OwnedQueue, ownershipFaults, replyQueueFault } from "./owned-queue.ts";

const TEA: OwnedQueue = { queue: "jobs-tea", owner: "tea", idPrefix: "tea-", replyQueues: ["replies-tea"] };
const MUG: OwnedQueue = { queue: "jobs-mug", owner: "mug", idPrefix: "mug-", replyQueues: ["replies-mug"] };
const OWNED = [TEA, MUG];

test.each<[queue: string, jobId: string, may: boolean]>([
  ["jobs-tea", "tea-1", true],
  ["jobs-tea", "mug-1", false],
  ["jobs-tea", "job-1", false],
  ["jobs-tea", "TEA-1", false],
  ["jobs", "job-1", true],
  ["jobs", "tea-1", false],
  ["jobs", "Tea-1", false],
  ["jobs", "tea", true],
])("by %s a job may be called %s: %s", (queue, jobId, may) => {
  expect(jobIdFault(jobId, queue, OWNED) === undefined).toBe(may);
});

test.each<[queue: string, replyTo: string, may: boolean]>([
  ["jobs-tea", "replies-tea", true],
  ["jobs-tea", "Replies-Tea", true],
  ["jobs-tea", "replies-mug", false],
  ["jobs-tea", "replies-shop", false],
  ["jobs", "replies-shop", true],
  ["jobs", "replies-tea", false],
  ["jobs", "REPLIES-tea", false],
])("a job by %s may be answered on %s: %s", (queue, replyTo, may) => {
  expect(replyQueueFault(replyTo, queue, OWNED) === undefined).toBe(may);
});

test.each<[why: string, other: Partial<OwnedQueue>, faults: number]>([
  ["nothing in common", {}, 0],
  ["another queue of the same owner", { owner: "tea", idPrefix: "tea-", replyQueues: ["replies-tea"] }, 0],
  ["the same queue", { queue: "jobs-tea" }, 1],
  ["a prefix that begins as the other", { idPrefix: "tea-pot-" }, 1],
  ["a prefix with which the other begins, in another case", { idPrefix: "T" }, 1],
  ["a reply queue of the other", { replyQueues: ["replies-mug", "replies-tea"] }, 1],
])("two entries with %s", (_, other, faults) => {
  expect(ownershipFaults([TEA, { ...MUG, ...other }])).toHaveLength(faults);
});
