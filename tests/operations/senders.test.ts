// Submission by the queues of one sender each, over the store in memory: whose an order is, and what another sender is notified of.

import { parseConfig } from "@scheduler-agent-supervisor/core/app/config";
import type { OwnedQueue } from "@scheduler-agent-supervisor/core/domain/owned-queue";
import { deadLetterQueuesOf } from "@scheduler-agent-supervisor/core/messaging/dead-letters";
import { parseOperatorRequest } from "@scheduler-agent-supervisor/core/messaging/operator-request";
import { beforeEach, expect, test } from "vitest";
import { sampleSettings } from "../../cli/settings.ts";
import { business } from "../../shared/business.ts";
import { NOON_MS, sampleOrder } from "../support/orders.ts";
import { createWorld, type World } from "../support/world.ts";

const TEA: OwnedQueue = { queue: "orders-tea", owner: "tea", idPrefix: "tea-", replyQueues: ["replies-tea"] };
const MUG: OwnedQueue = { queue: "orders-mug", owner: "mug", idPrefix: "mug-", replyQueues: ["replies-mug"] };

let world: World;
beforeEach(() => {
  const made = createWorld(NOON_MS);
  world = Object.assign(made, { rules: { ...made.rules, ownedQueues: [TEA, MUG] } });
});

const by = (queue: string, replyTo = "replies-tea") => ({ queue, messageId: "m-1", replyTo });
const tea = sampleOrder("tea-1");

test("P1 an order keeps its owner; one by a shared queue has none", async () => {
  await world.submit(tea, by("orders-tea"));
  await world.submit(sampleOrder("order-1"), by("orders", "replies-shop"));
  expect(await world.stateOf("tea-1")).toMatchObject({ owner: "tea" });
  expect(await world.stateOf("order-1")).not.toHaveProperty("owner");
});

test("P1 the same order by another queue is another sender's, and rejected: as where the queue of its own came later", async () => {
  const { rules } = world;
  Object.assign(world, { rules: { ...rules, ownedQueues: [] } });
  await world.submit(tea, by("orders", "replies-shop"));
  Object.assign(world, { rules });
  expect(await world.submit(tea, by("orders-tea"))).toBeUndefined();
  expect(world.rejections).toMatchObject([
    { replyTo: "replies-tea", faults: [`orderId: "tea-1" is the id of another job`] },
  ]);
  expect(await world.stateOf("tea-1")).toMatchObject({ replyTo: "replies-shop" });
});

test.each<[string, object, object]>([
  ["names another's reply queue", tea, by("orders-tea", "replies-mug")],
  ["names none that may be", tea, by("orders-tea", "orders")],
  ["has a body that hides the reply queue", { ...tea, replyTo: "replies-mug" }, by("orders-tea", "replies-mug")],
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
  await world.submit({ ...tea, currency: "euro" }, { queue: "orders-tea", messageId: "m-1" });
  await world.submit(sampleOrder("order-1"), by("orders", "replies-tea"));
  expect(world.rejections).toEqual([]);
  expect(world.quarantined.map(({ queue }) => queue)).toEqual(["orders-tea", "orders"]);
});

test("P9 an operator may edit an order, whoever owns it", () => {
  const text = JSON.stringify({ reason: "another card", job: { ...tea, paymentToken: "tok_new" } });
  expect(parseOperatorRequest("resubmit", "tea-1", text, world.rules)).toMatchObject({ kind: "valid" });
});

test("P1 from the quarantine an order goes back to the queue that it came by", () => {
  const own = { consumed: [], quarantine: "quarantine", jobs: "orders", agentReplies: "agent-replies" };
  const [quarantine] = deadLetterQueuesOf({ ...own, ownedQueues: ["orders-tea"] });
  const target = (cameBy: unknown, subject = "InvalidSubmission") => quarantine?.resendTo(subject, cameBy);
  expect(["orders-tea", "orders", "scheduler", undefined, 7].map((queue) => target(queue))).toEqual([
    "orders-tea",
    ...["orders", "orders", "orders", "orders"],
  ]);
  expect(target("orders-tea", "InvalidReply")).toBe("agent-replies");
});

test.each<[string, unknown, string]>([
  ["no list", {}, "must be a list"],
  ["a queue that has another use", [{ ...TEA, queue: "scheduler" }], "scheduler has another use"],
  ["a reply queue that is none", [{ ...TEA, replyQueues: ["scheduler"] }], "scheduler is no reply queue"],
  ["a name that no function can have", [{ ...TEA, queue: "orders.tea" }], "[0].queue: must be"],
  ["an owner without an order id of its own", [{ ...TEA, idPrefix: "" }], "[0].idPrefix: must be"],
  ["two owners that can't be distinguished", [TEA, { ...MUG, idPrefix: "tea-2" }], "can't be distinguished"],
])("the setting is rejected where it has %s", (_, list, fault) => {
  const given = { ...sampleSettings(), SubmissionQueues: JSON.stringify(list) };
  expect(() => parseConfig(given, business)).toThrow(fault);
  expect(() => parseConfig(given, business)).toThrow("SubmissionQueues");
});
