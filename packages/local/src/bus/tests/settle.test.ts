import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
const DURATIONS: Readonly<Record<string, string>> = { lost: "PT2S", closed: "PT0.3S", renewed: "PT3S" };
const queues = [
  "send",
  "renewed",
  "batch",
  "delete",
  "abandon",
  "attempts",
  "dead",
  "defer",
  "lost",
  "closed",
  "release",
  "counted",
];

beforeAll(() =>
  under.start(
    queues.map((name) => ({
      name,
      properties: { maxDeliveryCount: 3, lockDuration: DURATIONS[name] ?? "PT1M" },
    })),
  ),
);
afterAll(() => under.destroy());

test("a message arrives as it was sent, and is gone once completed", async () => {
  await under.client.createSender("send").sendMessages({
    body: { order: 7, text: "ü" },
    messageId: "m-1",
    correlationId: "c-1",
    subject: "created",
    contentType: "application/json",
    replyTo: "replies",
    applicationProperties: { number: 5, flag: true, text: "t" },
  });
  const receiver = under.client.createReceiver("send");
  const message = await receiveOne(receiver);
  expect(message).toMatchObject({
    body: { order: 7, text: "ü" },
    messageId: "m-1",
    correlationId: "c-1",
    subject: "created",
    contentType: "application/json",
    replyTo: "replies",
    applicationProperties: { number: 5, flag: true, text: "t" },
    deliveryCount: 0,
    state: "active",
  });
  expect(message.sequenceNumber?.toNumber()).toBeGreaterThan(0);
  expect(Math.abs((message.enqueuedTimeUtc?.getTime() ?? 0) - Date.now())).toBeLessThan(5000);
  expect(message.lockedUntilUtc?.getTime()).toBeGreaterThan(Date.now() + 50_000);
  await receiver.completeMessage(message);
  expect(await under.client.createReceiver("send").peekMessages(1)).toEqual([]);
});

test("a batch is stored as single messages, in order, and a missing message id is made up", async () => {
  const sender = under.client.createSender("batch");
  const batch = await sender.createMessageBatch();
  expect(batch.maxSizeInBytes).toBe(262_144);
  for (let index = 0; index < 50; index += 1) batch.tryAddMessage({ body: index });
  await sender.sendMessages(batch);
  const receiver = under.client.createReceiver("batch");
  const messages = await receiver.receiveMessages(50, { maxWaitTimeInMs: 1000 });
  expect(messages.map(({ body }) => body)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(50);
});

test("receiveAndDelete leaves nothing behind", async () => {
  await under.client.createSender("delete").sendMessages([{ body: 1 }, { body: 2 }]);
  const receiver = under.client.createReceiver("delete", { receiveMode: "receiveAndDelete" });
  expect((await receiver.receiveMessages(2, { maxWaitTimeInMs: 1000 })).map(({ body }) => body)).toEqual([1, 2]);
  expect(await under.client.createReceiver("delete").peekMessages(2)).toEqual([]);
});

test("an abandoned message comes again at once, counted, with the properties to modify, before younger ones", async () => {
  await under.client
    .createSender("abandon")
    .sendMessages([{ body: "old", applicationProperties: { kept: 1 } }, { body: "young" }]);
  const receiver = under.client.createReceiver("abandon");
  await receiver.abandonMessage(await receiveOne(receiver), { tried: "once" });
  const again = await receiveOne(receiver);
  expect(again).toMatchObject({ body: "old", deliveryCount: 1, applicationProperties: { kept: 1, tried: "once" } });
});

test("the last delivery attempt buries the message", async () => {
  await under.client.createSender("attempts").sendMessages({ body: "poison", applicationProperties: { kept: 1 } });
  const receiver = under.client.createReceiver("attempts");
  for (let attempt = 0; attempt < 3; attempt += 1) await receiver.abandonMessage(await receiveOne(receiver));
  expect(await receiveNow(receiver)).toEqual([]);
  const buried = await receiveOne(under.client.createReceiver("attempts", { subQueueType: "deadLetter" }));
  expect(buried).toMatchObject({
    body: "poison",
    deliveryCount: 3,
    deadLetterReason: "MaxDeliveryCountExceeded",
    deadLetterSource: "attempts",
    applicationProperties: { kept: 1 },
  });
});

test("a dead-lettered message carries its reason and can be completed in the dead-letter queue", async () => {
  await under.client.createSender("dead").sendMessages({ body: "bad" });
  const receiver = under.client.createReceiver("dead");
  await receiver.deadLetterMessage(await receiveOne(receiver), {
    deadLetterReason: "invalid",
    deadLetterErrorDescription: "no lines",
    code: 42,
  });
  const graveyard = under.client.createReceiver("dead", { subQueueType: "deadLetter" });
  const buried = await receiveOne(graveyard);
  expect(buried).toMatchObject({
    deadLetterReason: "invalid",
    deadLetterErrorDescription: "no lines",
    applicationProperties: { code: 42 },
  });
  await expect(graveyard.deadLetterMessage(buried)).rejects.toThrow(/dead-letter queue/);
  await graveyard.completeMessage(await receiveOne(graveyard));
  expect(await graveyard.peekMessages(1)).toEqual([]);
});

test("a deferred message is only had by its sequence number, and settles through management", async () => {
  await under.client.createSender("defer").sendMessages([{ body: "later" }, { body: "now" }]);
  const receiver = under.client.createReceiver("defer");
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message, { why: "early" });
  const { sequenceNumber } = message;
  if (!sequenceNumber) throw new Error("A received message has a sequence number");
  expect((await receiveOne(receiver)).body).toBe("now");
  const [peeked] = await receiver.peekMessages(1);
  expect(peeked).toMatchObject({ state: "deferred", applicationProperties: { why: "early" } });

  const [deferred] = await receiver.receiveDeferredMessages(sequenceNumber);
  if (!deferred) throw new Error("The deferred message is gone");
  expect(deferred.body).toBe("later");
  await expect(receiver.receiveDeferredMessages(sequenceNumber)).rejects.toMatchObject({ code: "MessageNotFound" });
  expect(deferred.deliveryCount).toBe(1);
  await receiver.abandonMessage(deferred);
  const [again] = await receiver.receiveDeferredMessages(sequenceNumber);
  if (!again) throw new Error("The deferred message is gone");
  expect(again.deliveryCount).toBe(2);
  await receiver.completeMessage(again);
  await expect(receiver.receiveDeferredMessages(sequenceNumber)).rejects.toMatchObject({ code: "MessageNotFound" });
});

test("a lock that ran out cannot settle, and the message comes again, counted", async () => {
  await under.client.createSender("lost").sendMessages({ body: "slow" });
  const receiver = under.client.createReceiver("lost", { maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  const again = await receiveOne(receiver);
  await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: "MessageLockLost" });
  expect(again.deliveryCount).toBe(1);
  const renewedUntil = await receiver.renewMessageLock(again);
  expect(renewedUntil.getTime()).toBeGreaterThan(message.lockedUntilUtc?.getTime() ?? 0);
  await receiver.completeMessage(again);
  await expect(receiver.renewMessageLock(message)).rejects.toMatchObject({ code: "MessageLockLost" });
});

test("a renewed lock outlives its first term", async () => {
  await under.client.createSender("renewed").sendMessages({ body: "renewed" });
  const receiver = under.client.createReceiver("renewed", { maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await receiver.renewMessageLock(message);
  }
  expect(await receiveNow(under.client.createReceiver("renewed"))).toEqual([]);
  await receiver.completeMessage(message);
});

test("a lock outlives its link: the message settles through management", async () => {
  await under.client.createSender("release").sendMessages({ body: "kept" });
  const receiver = under.client.createReceiver("release");
  const message = await receiveOne(receiver);
  await receiver.close();
  const other = under.client.createReceiver("release");
  expect(await receiveNow(other)).toEqual([]);
  await other.completeMessage(message);
  expect(await other.peekMessages(1)).toEqual([]);
});

test("a closed link's messages come again when their locks run out", async () => {
  await under.client.createSender("closed").sendMessages({ body: "left" });
  const receiver = under.client.createReceiver("closed", { maxAutoLockRenewalDurationInMs: 0 });
  await receiveOne(receiver);
  await receiver.close();
  expect(await receiveOne(under.client.createReceiver("closed"))).toMatchObject({ body: "left", deliveryCount: 1 });
});

test("a dead letter is never counted: neither an abandonment nor a lock that ran out", async () => {
  await under.client.createSender("counted").sendMessages({ body: "bad" });
  const receiver = under.client.createReceiver("counted");
  await receiver.abandonMessage(await receiveOne(receiver));
  await receiver.deadLetterMessage(await receiveOne(receiver));
  const graveyard = under.client.createReceiver("counted", { subQueueType: "deadLetter" });
  for (let round = 0; round < 4; round += 1) {
    const message = await receiveOne(graveyard);
    expect(message.deliveryCount).toBe(1);
    await graveyard.abandonMessage(message);
  }
});
