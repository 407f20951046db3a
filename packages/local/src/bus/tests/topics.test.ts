import type { ServiceBusReceiver } from "@azure/service-bus";
import Long from "long";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
const ZERO = Long.ZERO;
const all = { name: "all", properties: {} };
const rule = (name: string, sqlExpression: string, action?: string) => ({
  name,
  properties: {
    filterType: "SqlFilter",
    sqlFilter: { sqlExpression },
    ...(action && { action: { sqlExpression: action } }),
  },
});
const ENTITIES = {
  topics: [
    { name: "plain", properties: {}, subscriptions: [all, { name: "other", properties: { maxDeliveryCount: 1 } }] },
    {
      name: "filtered",
      properties: {},
      subscriptions: [
        all,
        { name: "red", properties: {}, rules: [rule("r", "color = 'red' AND quantity > 5")] },
        { name: "either", properties: {}, rules: [rule("a", "color = 'red'"), rule("b", "quantity = 1")] },
        {
          name: "labelled",
          properties: {},
          rules: [
            {
              name: "c",
              properties: {
                filterType: "CorrelationFilter",
                correlationFilter: { label: "x", correlationId: "c", properties: { color: "red", quantity: 9 } },
              },
            },
          ],
        },
        {
          name: "changed",
          properties: {},
          rules: [
            rule("plain", "1=1"),
            rule(
              "half",
              "quantity = 9",
              "SET quantity = quantity / 2; SET sys.Label = 'half-' + sys.Label; REMOVE color",
            ),
            rule("twin", "quantity = 9", "SET [new one] = TRUE SET sys.SessionId = newid()"),
          ],
        },
        { name: "none", properties: {}, rules: [rule("n", "1=0")] },
      ],
    },
    {
      name: "faulty",
      properties: {},
      subscriptions: [
        { name: "buries", properties: {}, rules: [rule("f", "quantity / 0 = 1")] },
        {
          name: "ignores",
          properties: { deadLetteringOnFilterEvaluationExceptions: false },
          rules: [rule("f", "quantity / 0 = 1")],
        },
        all,
      ],
    },
    { name: "later", properties: {}, subscriptions: [all] },
    { name: "unique", properties: { requiresDuplicateDetection: true }, subscriptions: [all] },
    { name: "brief", properties: { defaultMessageTimeToLive: "PT0.2S" }, subscriptions: [all] },
    {
      name: "grouped",
      properties: {},
      subscriptions: [{ name: "sessions", properties: { requiresSession: true } }, all],
    },
    { name: "managed", properties: {}, subscriptions: [all] },
    {
      name: "kept",
      properties: {},
      subscriptions: [{ name: "s", properties: {}, rules: [rule("r", "color = 'red'")] }],
    },
  ],
};
beforeAll(() => under.start(ENTITIES));
afterAll(() => under.destroy());

const bodies = async (receiver: ServiceBusReceiver) => (await receiveNow(receiver)).map(({ body }) => body);
const message = { body: "m", subject: "x", correlationId: "c", applicationProperties: { color: "red", quantity: 9 } };

test("each subscription gets its own copy, settles it alone, and has its own dead-letter queue", async () => {
  await under.client.createSender("plain").sendMessages([{ body: 1, messageId: "one" }, { body: 2 }]);
  const receiver = under.client.createReceiver("plain", "all");
  const [first, second] = await receiver.receiveMessages(2, { maxWaitTimeInMs: 2000 });
  expect([first?.body, second?.body]).toEqual([1, 2]);
  expect(first).toMatchObject({ messageId: "one", deliveryCount: 0, state: "active" });
  if (first) await receiver.completeMessage(first);
  const other = under.client.createReceiver("PLAIN", "Other");
  await other.abandonMessage(await receiveOne(other));
  const buried = await receiveOne(under.client.createReceiver("plain", "other", { subQueueType: "deadLetter" }));
  expect(buried).toMatchObject({ body: 1, deadLetterSource: "plain/Subscriptions/other" });
  expect((await receiveOne(other)).body).toBe(2);
});

test("a subscription's messages have numbers of their own, and tell the topic's", async () => {
  const sender = under.client.createSender("filtered");
  await sender.sendMessages([{ body: 0 }, { body: 0 }, message]);
  const received = await receiveOne(under.client.createReceiver("filtered", "red"));
  expect(received.sequenceNumber?.toNumber()).toBe(1);
  expect(received.enqueuedSequenceNumber).toBe(3);
});

test("filters select by user and system properties; rules without actions make one copy together", async () => {
  for (const subscription of ["either", "labelled"]) {
    expect(await bodies(under.client.createReceiver("filtered", subscription))).toEqual(["m"]);
  }
  expect(await bodies(under.client.createReceiver("filtered", "all"))).toEqual([0, 0, "m"]);
  expect(await bodies(under.client.createReceiver("filtered", "none"))).toEqual([]);
});

test("each rule with an action makes a copy of its own, which nobody else sees", async () => {
  const receiver = under.client.createReceiver("filtered", "changed");
  const received = await receiver.receiveMessages(5, { maxWaitTimeInMs: 500 });
  expect(received.slice(2).map(({ subject, applicationProperties }) => [subject, applicationProperties])).toEqual([
    ["x", { color: "red", quantity: 9 }],
    ["half-x", { quantity: 4, RuleName: "half" }],
    ["x", { color: "red", quantity: 9, "new one": true, RuleName: "twin" }],
  ]);
  expect(received[4]?.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(received[2]?.sessionId).toBeUndefined();
});

test("a filter that cannot be evaluated makes a dead letter, or nothing, and the other subscriptions get the message", async () => {
  await under.client.createSender("faulty").sendMessages(message);
  const dead = { subQueueType: "deadLetter" } as const;
  expect(await receiveOne(under.client.createReceiver("faulty", "buries", dead))).toMatchObject({
    body: "m",
    deadLetterErrorDescription: "An integer is divided by zero",
  });
  expect(await bodies(under.client.createReceiver("faulty", "all"))).toEqual(["m"]);
  expect(await bodies(under.client.createReceiver("faulty", "ignores"))).toEqual([]);
  expect(await bodies(under.client.createReceiver("faulty", "ignores", dead))).toEqual([]);
});

test("a topic keeps what is scheduled, and lets it be cancelled", async () => {
  const sender = under.client.createSender("later");
  const [cancelled] = await sender.scheduleMessages({ body: "cancelled" }, new Date(Date.now() + 60_000));
  if (cancelled) await sender.cancelScheduledMessages(cancelled);
  await sender.scheduleMessages({ body: "due" }, new Date(Date.now() + 300));
  const receiver = under.client.createReceiver("later", "all");
  expect(await receiver.peekMessages(1)).toEqual([]);
  expect(await receiveOne(receiver)).toMatchObject({ body: "due", state: "scheduled" });
});

test("a topic detects duplicates, and bounds its messages' time to live", async () => {
  const sender = under.client.createSender("unique");
  for (const body of [1, 2]) await sender.sendMessages({ body, messageId: "same" });
  expect(await bodies(under.client.createReceiver("unique", "all"))).toEqual([1]);
  await under.client.createSender("brief").sendMessages({ body: 1, timeToLive: 60_000 });
  const peeking = under.client.createReceiver("brief", "all");
  await expect.poll(() => peeking.peekMessages(1, { fromSequenceNumber: ZERO })).toEqual([]);
});

test("a subscription with sessions takes messages with a session, and buries the others", async () => {
  await under.client.createSender("grouped").sendMessages([{ body: "in", sessionId: "s" }, { body: "out" }]);
  const session = await under.client.acceptSession("grouped", "sessions", "s");
  expect((await receiveOne(session)).body).toBe("in");
  await session.setSessionState("state");
  expect(await session.getSessionState()).toBe("state");
  await session.close();
  const dead = under.client.createReceiver("grouped", "sessions", { subQueueType: "deadLetter" });
  expect(await receiveOne(dead)).toMatchObject({ body: "out", deadLetterReason: "Session ID is null." });
});

test("rules are made, listed and deleted over AMQP, and hold from then on", async () => {
  const rules = under.client.createRuleManager("managed", "all");
  const sender = under.client.createSender("managed");
  await rules.deleteRule("$Default");
  await sender.sendMessages({ body: "nobody's" });
  await rules.createRule("red", { sqlExpression: "color = 'red'" }, { sqlExpression: "SET seen = 1" });
  const properties = { color: "blue", quantity: 3, big: 2.5, flag: false };
  await rules.createRule("blue", { subject: "s", applicationProperties: properties });
  await rules.createRule("never", { sqlExpression: "1=0" });
  await expect(rules.createRule("red", { sqlExpression: "1=1" })).rejects.toMatchObject({
    message: expect.stringMatching(/^The messaging entity '.*red' already exists\./),
    code: "MessagingEntityAlreadyExists",
  });
  await expect(rules.createRule("bad", { sqlExpression: "color ==" })).rejects.toThrow(/a name is expected, not =/);
  const listed = [];
  for await (const one of rules.listRules()) listed.push(one);
  expect(listed).toMatchObject([
    {
      name: "blue",
      filter: { subject: "s", applicationProperties: { color: "blue", quantity: 3, big: 2.5, flag: false } },
      action: {},
    },
    { name: "never", filter: { sqlExpression: "1=0" }, action: {} },
    { name: "red", filter: { sqlExpression: "color = 'red'" }, action: { sqlExpression: "SET seen = 1" } },
  ]);
  await sender.sendMessages([
    { body: "red", applicationProperties: { color: "red" } },
    { body: "blue", subject: "s", applicationProperties: properties },
    { body: "green", applicationProperties: { color: "green" } },
  ]);
  expect(await bodies(under.client.createReceiver("managed", "all"))).toEqual(["red", "blue"]);
  await expect(rules.deleteRule("absent")).rejects.toMatchObject({ code: "MessagingEntityNotFound" });
  await expect(under.client.createRuleManager("managed", "absent").deleteRule("x")).rejects.toMatchObject({
    code: "MessagingEntityNotFound",
  });
});

test(REJECTIONS.topicReceiver.what, async () => {
  await expect(under.client.createReceiver("plain").receiveMessages(1, { maxWaitTimeInMs: 300 })).rejects.toThrow(
    /name a subscription/,
  );
  await expect(under.client.createSender("plain/Subscriptions/all").sendMessages({ body: 1 })).rejects.toThrow(
    /Nothing can be sent/,
  );
  await expect(
    under.client.createReceiver("plain", "absent").receiveMessages(1, { maxWaitTimeInMs: 300 }),
  ).rejects.toMatchObject({ code: "MessagingEntityNotFound" });
});

test("topics, subscriptions, rules and their messages survive a restart, and numbers go on", async () => {
  const sender = under.client.createSender("kept");
  await sender.sendMessages([message, { body: "blue", applicationProperties: { color: "blue" } }]);
  await sender.scheduleMessages({ ...message, body: "scheduled" }, new Date(Date.now() + 500));
  await under.client.createRuleManager("kept", "s").createRule("added", { sqlExpression: "color = 'green'" });
  await under.stop();
  // Nothing is declared: what is there stays as it is.
  await under.start({});
  await under.client.createSender("kept").sendMessages({ body: "green", applicationProperties: { color: "green" } });
  const receiver = under.client.createReceiver("kept", "s");
  const received = [await receiveOne(receiver), await receiveOne(receiver), await receiveOne(receiver)];
  expect(received.map(({ body }) => body).toSorted()).toEqual(["green", "m", "scheduled"]);
  const numbers = received.map(({ enqueuedSequenceNumber }) => enqueuedSequenceNumber);
  expect(new Set(numbers).size).toBe(3);
});
