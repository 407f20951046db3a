// Submission by the queues of one sender each, over the store in memory: whose a job is, and what another sender is notified of.

import { deadLetterQueuesOf } from "@scheduler-agent-supervisor/operator/adapters";
import { beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../src/app/config.ts";
import { parseOperatorRequest } from "../../src/messaging/operator-request.ts";
import type { OwnedQueue } from "../../src/submission/owned-queue.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { SETTINGS, videos } from "../videos.ts";
import { createWorld, type World } from "../world.ts";

const TEA: OwnedQueue = { queue: "jobs-tea", owner: "tea", idPrefix: "tea-", replyQueues: ["replies-tea"] };
const MUG: OwnedQueue = { queue: "jobs-mug", owner: "mug", idPrefix: "mug-", replyQueues: ["replies-mug"] };

let world: World;
beforeEach(() => {
  const made = createWorld(NOON_MS);
  world = Object.assign(made, { rules: { ...made.rules, ownedQueues: [TEA, MUG] } });
});

const by = (queue: string, replyTo = "replies-tea") => ({ queue, messageId: "m-1", replyTo });
const tea = sampleJob("tea-1");

test("P1 a job keeps its owner; one by a shared queue has none", async () => {
  await world.submit(tea, by("jobs-tea"));
  await world.submit(sampleJob("job-1"), by("jobs", "replies-shop"));
  expect(await world.stateOf("tea-1")).toMatchObject({ owner: "tea" });
  expect(await world.stateOf("job-1")).not.toHaveProperty("owner");
});

test("P1 the same job by another queue is another sender's, and rejected: as where the queue of its own came later", async () => {
  const { rules } = world;
  Object.assign(world, { rules: { ...rules, ownedQueues: [] } });
  await world.submit(tea, by("jobs", "replies-shop"));
  Object.assign(world, { rules });
  expect(await world.submit(tea, by("jobs-tea"))).toBeUndefined();
  expect(world.rejections).toMatchObject([
    { replyTo: "replies-tea", faults: [`jobId: "tea-1" is the id of another job`] },
  ]);
  expect(await world.stateOf("tea-1")).toMatchObject({ replyTo: "replies-shop" });
});

test.each<[string, object, object]>([
  ["names another's reply queue", tea, by("jobs-tea", "replies-mug")],
  ["names none that may be", tea, by("jobs-tea", "jobs")],
  ["has a body that hides the reply queue", { ...tea, replyTo: "replies-mug" }, by("jobs-tea", "replies-mug")],
])(
  "P15 a sender with a queue of its own is notified on its own reply queue where its message %s",
  async (_, body, envelope) => {
    await world.submit(body, { ...envelope, replyToSessionId: "s-1" });
    const hides = "replyTo" in body;
    expect(world.rejections).toMatchObject([{ replyTo: "replies-tea", replyToSessionId: hides ? null : "s-1" }]);
    expect(await world.stateOf("tea-1")).toBeUndefined();
  },
);

test("P15 a sender that wants no answer gets none, and one on a shared queue none where another listens", async () => {
  await world.submit({ ...tea, currency: "euro" }, { queue: "jobs-tea", messageId: "m-1" });
  await world.submit(sampleJob("job-1"), by("jobs", "replies-tea"));
  expect(world.rejections).toEqual([]);
  expect(world.quarantined.map(({ queue }) => queue)).toEqual(["jobs-tea", "jobs"]);
});

test("P9 an operator may edit a job, whoever owns it", () => {
  const text = JSON.stringify({ reason: "another card", job: { ...tea, paymentToken: "tok_new" } });
  expect(parseOperatorRequest("resubmit", "tea-1", text, world.rules)).toMatchObject({ kind: "valid" });
});

test("P1 from the quarantine a job goes back to the queue that it came by", () => {
  const own = { consumed: [], quarantine: "quarantine", jobs: "jobs", agentReplies: "agent-replies" };
  const [quarantine] = deadLetterQueuesOf({ ...own, ownedQueues: ["jobs-tea"] });
  const target = (cameBy: unknown, subject = "InvalidSubmission") => quarantine?.resendTo(subject, cameBy);
  expect(["jobs-tea", "jobs", "scheduler", undefined, 7].map((queue) => target(queue))).toEqual([
    "jobs-tea",
    ...["jobs", "jobs", "jobs", "jobs"],
  ]);
  expect(target("jobs-tea", "InvalidReply")).toBe("agent-replies");
});

test.each<[string, unknown, string]>([
  ["no list", {}, "must be a list"],
  ["a queue that has another use", [{ ...TEA, queue: "scheduler" }], "scheduler has another use"],
  ["a reply queue that is none", [{ ...TEA, replyQueues: ["scheduler"] }], "scheduler is no reply queue"],
  ["a name that no function can have", [{ ...TEA, queue: "jobs.tea" }], "[0].queue: must be"],
  ["an owner without a job id of its own", [{ ...TEA, idPrefix: "" }], "[0].idPrefix: must be"],
  ["two owners that can't be distinguished", [TEA, { ...MUG, idPrefix: "tea-2" }], "can't be distinguished"],
])("the setting is rejected where it has %s", (_, list, fault) => {
  const given = { ...SETTINGS, SubmissionQueues: JSON.stringify(list) };
  expect(() => parseConfig(given, videos)).toThrow(fault);
  expect(() => parseConfig(given, videos)).toThrow("SubmissionQueues");
});
