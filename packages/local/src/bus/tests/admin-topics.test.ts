import type { OperationOptions } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() =>
  under.start({ topics: [{ name: "declared", properties: {}, subscriptions: [{ name: "sub", properties: {} }] }] }),
);
afterAll(() => under.destroy());

const administer = () => under.administer();
const noOptions: OperationOptions = {};
/** Clients look for the first word too. */
const NOT_FOUND = { code: "MessageEntityNotFoundError", message: expect.stringMatching(/^Entity '/) };
const EXISTS = { code: "MessageEntityAlreadyExistsError", message: expect.stringMatching(/^Entity '/) };

test("topics are created, read, listed, updated and deleted", async () => {
  const client = administer();
  const created = await client.createTopic("new", {
    defaultMessageTimeToLive: "PT1H",
    requiresDuplicateDetection: true,
    userMetadata: 'a & "b"',
  });
  expect(created).toMatchObject({
    name: "new",
    status: "Active",
    defaultMessageTimeToLive: "PT1H",
    requiresDuplicateDetection: true,
    duplicateDetectionHistoryTimeWindow: "PT10M",
    supportOrdering: true,
    userMetadata: 'a & "b"',
  });
  await expect(client.createTopic("NEW", noOptions)).rejects.toMatchObject(EXISTS);
  await expect(client.createQueue("new", noOptions)).rejects.toMatchObject(EXISTS);
  const names: string[] = [];
  for await (const { name } of client.listTopics()) names.push(name);
  expect(names).toEqual(["declared", "new"]);
  for await (const { name } of client.listQueues()) throw new Error(`${name} is no queue`);
  await client.updateTopic({ ...created, defaultMessageTimeToLive: "PT2H" });
  expect(await client.getTopic("new")).toMatchObject({ defaultMessageTimeToLive: "PT2H" });
  await client.deleteTopic("new");
  expect(await client.topicExists("new")).toBe(false);
  await expect(client.getTopic("new")).rejects.toMatchObject(NOT_FOUND);
  await expect(client.deleteTopic("new")).rejects.toMatchObject(NOT_FOUND);
});

test("subscriptions are created, read, listed, updated and deleted", async () => {
  const client = administer();
  const created = await client.createSubscription("declared", "fresh", {
    lockDuration: "PT45S",
    maxDeliveryCount: 3,
    requiresSession: false,
    deadLetteringOnFilterEvaluationExceptions: false,
    forwardDeadLetteredMessagesTo: "declared",
  });
  expect(created).toMatchObject({
    topicName: "declared",
    subscriptionName: "fresh",
    lockDuration: "PT45S",
    maxDeliveryCount: 3,
    deadLetteringOnFilterEvaluationExceptions: false,
    status: "Active",
  });
  expect(created.forwardDeadLetteredMessagesTo).toMatch(/^sb:\/\/.*\/declared$/);
  await expect(client.createSubscription("declared", "Fresh")).rejects.toMatchObject(EXISTS);
  const names: string[] = [];
  for await (const { subscriptionName } of client.listSubscriptions("declared")) names.push(subscriptionName);
  expect(names).toEqual(["sub", "fresh"]);
  await client.updateSubscription({ ...created, maxDeliveryCount: 4 });
  expect(await client.getSubscription("declared", "fresh")).toMatchObject({
    maxDeliveryCount: 4,
    lockDuration: "PT45S",
  });
  await client.deleteSubscription("declared", "fresh");
  expect(await client.subscriptionExists("declared", "fresh")).toBe(false);
  await expect(client.getSubscription("declared", "fresh")).rejects.toMatchObject(NOT_FOUND);
  await expect(client.createSubscription("absent", "sub")).rejects.toMatchObject({ statusCode: 400 });
  await expect(client.createSubscription("declared", "a".repeat(51))).rejects.toMatchObject({ statusCode: 400 });
});

test("rules are created, read, listed, updated and deleted, with the types of their values", async () => {
  const client = administer();
  await client.createSubscription("declared", "ruled", {
    defaultRuleOptions: { name: "first", filter: { sqlExpression: "color = 'a & b' AND n < 5" } },
  });
  const since = new Date("2026-01-02T03:04:05.000Z");
  const parameters = { "@text": "t", "@number": 2.5, "@flag": true };
  const sql = {
    sqlExpression: "p = @text AND q >= @number AND f = @flag",
    sqlParameters: parameters,
  };
  const created = await client.createRule("declared", "ruled", "sql", sql, { sqlExpression: "SET seen = 1" });
  expect(created).toMatchObject({ name: "sql", filter: sql, action: { sqlExpression: "SET seen = 1" } });
  const correlation = {
    correlationId: "c",
    subject: "s",
    to: "t",
    replyTo: "r",
    replyToSessionId: "rs",
    sessionId: "g",
    messageId: "m",
    contentType: "text/plain",
    applicationProperties: { text: "x", number: 7, flag: false, since },
  };
  await client.createRule("declared", "ruled", "correlation", correlation);
  expect((await client.getRule("declared", "ruled", "correlation")).filter).toEqual(correlation);
  await expect(client.createRule("declared", "ruled", "SQL", sql)).rejects.toMatchObject(EXISTS);
  await expect(client.createRule("declared", "ruled", "bad", { sqlExpression: "upper(x) = 1" })).rejects.toThrow(
    /There is no function upper/,
  );
  const rules = [];
  for await (const rule of client.listRules("declared", "ruled")) rules.push(rule.name);
  expect(rules).toEqual(["correlation", "first", "sql"]);

  const send = (body: string) =>
    under.client.createSender("declared").sendMessages({
      body,
      correlationId: "c",
      subject: "s",
      to: "t",
      replyTo: "r",
      replyToSessionId: "rs",
      sessionId: "g",
      messageId: "m",
      contentType: "text/plain",
      applicationProperties: { ...correlation.applicationProperties, p: "t", q: 3, f: true },
    });
  await send("both");
  const receiver = under.client.createReceiver("declared", "ruled");
  const received = await receiveNow(receiver);
  expect(received.map(({ applicationProperties }) => applicationProperties?.["RuleName"])).toEqual([undefined, "sql"]);
  await client.updateRule("declared", "ruled", { ...created, filter: { sqlExpression: "1=0" } });
  await client.deleteRule("declared", "ruled", "correlation");
  await send("nobody's");
  expect(await receiveNow(receiver)).toEqual([]);
  expect(await client.ruleExists("declared", "ruled", "correlation")).toBe(false);
  await expect(client.deleteRule("declared", "ruled", "correlation")).rejects.toMatchObject(NOT_FOUND);
  await expect(client.getRule("declared", "absent", "first")).rejects.toMatchObject(NOT_FOUND);
});

test("a new subscription has the rule that selects everything", async () => {
  const client = administer();
  const rules = [];
  for await (const rule of client.listRules("declared", "sub")) rules.push(rule);
  expect(rules).toMatchObject([{ name: "$Default", filter: { sqlExpression: "1=1" } }]);
});

test("runtime properties count what is where", async () => {
  const client = administer();
  await client.createTopic("counted", noOptions);
  for (const name of ["one", "two"]) await client.createSubscription("counted", name);
  const sender = under.client.createSender("counted");
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  await sender.scheduleMessages({ body: 3 }, new Date(Date.now() + 60_000));
  const receiver = under.client.createReceiver("counted", "one");
  await receiver.deadLetterMessage(await receiveOne(receiver));
  expect(await client.getTopicRuntimeProperties("counted")).toMatchObject({
    subscriptionCount: 2,
    scheduledMessageCount: 1,
  });
  expect(await client.getSubscriptionRuntimeProperties("counted", "one")).toMatchObject({
    activeMessageCount: 1,
    deadLetterMessageCount: 1,
    totalMessageCount: 2,
  });
  const listed = [];
  for await (const { subscriptionName, totalMessageCount } of client.listSubscriptionsRuntimeProperties("counted")) {
    listed.push([subscriptionName, totalMessageCount]);
  }
  expect(listed).toEqual([
    ["one", 2],
    ["two", 2],
  ]);
  expect(await under.get("/$queues")).toContainEqual({
    name: "counted/Subscriptions/two",
    active: 2,
    scheduled: 0,
    deferred: 0,
    deadLetter: 0,
  });
});

test("lists come in pages", async () => {
  const client = administer();
  await client.createTopic("paged", noOptions);
  for (let index = 0; index < 7; index += 1) await client.createSubscription("paged", `s${index}`);
  const sizes: number[] = [];
  for await (const page of client.listSubscriptions("paged").byPage({ maxPageSize: 3 })) sizes.push(page.length);
  expect(sizes).toEqual([3, 3, 1]);
});

test("a deleted topic goes with its subscriptions, and its links are closed", async () => {
  const client = administer();
  await client.createTopic("brief", noOptions);
  await client.createSubscription("brief", "sub");
  const sender = under.client.createSender("brief");
  const receiver = under.client.createReceiver("brief", "sub");
  await sender.sendMessages({ body: 1 });
  await receiveOne(receiver);
  await client.deleteTopic("brief");
  const gone = { code: "MessagingEntityNotFound" };
  await expect(sender.sendMessages({ body: 2 })).rejects.toMatchObject(gone);
  await expect(receiver.receiveMessages(1, { maxWaitTimeInMs: 200 })).rejects.toMatchObject(gone);
  await client.createTopic("brief", noOptions);
  expect(await client.subscriptionExists("brief", "sub")).toBe(false);
});

test("the namespace describes itself, by the name that its client knows", async () => {
  expect(await administer().getNamespaceProperties()).toMatchObject({ name: "local-bus", messagingSku: "Standard" });
  const client = administer();
  client.pipeline.addPolicy({
    name: "named",
    sendRequest: (request, next) => {
      request.headers.set("host", "shop.servicebus.windows.net");
      return next(request);
    },
  });
  expect(await client.getNamespaceProperties()).toMatchObject({ name: "shop" });
});
