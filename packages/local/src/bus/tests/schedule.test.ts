import { afterAll, beforeAll, expect, test } from "vitest";
import { DuplicateWindow } from "../queue/duplicate-window.ts";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() =>
  under.start([
    { name: "schedule", properties: {} },
    { name: "cancel", properties: {} },
    { name: "annotated", properties: {} },
    { name: "expire", properties: {} },
    { name: "expire-dead", properties: { deadLetteringOnMessageExpiration: true } },
    {
      name: "expire-default",
      properties: { defaultMessageTimeToLive: "PT0.2S", deadLetteringOnMessageExpiration: true },
    },
    { name: "unique", properties: { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: "PT20S" } },
  ]),
);
afterAll(() => under.destroy());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a scheduled message waits for its time and then gets a new sequence number", async () => {
  const sender = under.client.createSender("schedule");
  const receiver = under.client.createReceiver("schedule");
  const dueAt = Date.now() + 1500;
  const [sequence] = await sender.scheduleMessages({ body: "later", messageId: "s-1" }, new Date(dueAt));
  const [peeked] = await receiver.peekMessages(1);
  expect(peeked).toMatchObject({ body: "later", state: "scheduled", scheduledEnqueueTimeUtc: new Date(dueAt) });
  expect(peeked?.sequenceNumber?.toNumber()).toBe(sequence?.toNumber());
  expect(await receiveNow(receiver)).toEqual([]);
  const message = await receiveOne(receiver);
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
  expect(Date.now()).toBeLessThan(dueAt + 5000);
  // As the SDK's own suite has it from Service Bus: the state still says that it was scheduled.
  expect(message).toMatchObject({ body: "later", messageId: "s-1", state: "scheduled" });
  expect(message.sequenceNumber?.toNumber()).toBeGreaterThan(sequence?.toNumber() ?? 0);
});

test("a message sent with a time to be enqueued at is scheduled too", async () => {
  const dueAt = Date.now() + 300;
  await under.client.createSender("annotated").sendMessages({ body: 1, scheduledEnqueueTimeUtc: new Date(dueAt) });
  await receiveOne(under.client.createReceiver("annotated"));
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
});

test("a cancelled message never comes, and cancelling it again fails", async () => {
  const sender = under.client.createSender("cancel");
  const sequences = await sender.scheduleMessages([{ body: 1 }, { body: 2 }], new Date(Date.now() + 2000));
  const [first] = sequences;
  if (!first) throw new Error("Scheduling returns sequence numbers");
  await sender.cancelScheduledMessages(first);
  await expect(sender.cancelScheduledMessages(first)).rejects.toMatchObject({ code: "MessageNotFound" });
  await pause(2100);
  expect((await receiveNow(under.client.createReceiver("cancel"))).map(({ body }) => body)).toEqual([2]);
});

test("an expired message is gone, or dead-lettered where the queue says so", async () => {
  for (const queue of ["expire", "expire-dead"]) {
    await under.client.createSender(queue).sendMessages([
      { body: "short", timeToLive: 3000 },
      { body: "long", timeToLive: 60_000 },
    ]);
  }
  const [peeked] = await under.client.createReceiver("expire").peekMessages(1);
  expect(peeked?.timeToLive).toBe(3000);
  expect(peeked?.expiresAtUtc?.getTime()).toBe((peeked?.enqueuedTimeUtc?.getTime() ?? 0) + 3000);
  await pause(3100);
  for (const queue of ["expire", "expire-dead"]) {
    expect((await under.client.createReceiver(queue).peekMessages(5)).map(({ body }) => body)).toEqual(["long"]);
  }
  expect((await receiveNow(under.client.createReceiver("expire-dead"))).map(({ body }) => body)).toEqual(["long"]);
  expect(await under.client.createReceiver("expire", { subQueueType: "deadLetter" }).peekMessages(1)).toEqual([]);
  const buried = await receiveOne(under.client.createReceiver("expire-dead", { subQueueType: "deadLetter" }));
  expect(buried).toMatchObject({ body: "short", deadLetterReason: "TTLExpiredException" });
});

test("the queue's default time to live holds for messages without one, and caps the others", async () => {
  await under.client.createSender("expire-default").sendMessages([{ body: 1 }, { body: 2, timeToLive: 60_000 }]);
  await pause(350);
  const graveyard = under.client.createReceiver("expire-default", { subQueueType: "deadLetter" });
  expect((await graveyard.peekMessages(5)).map(({ body }) => body)).toEqual([1, 2]);
});

test("a message id is enqueued once within the window, however it is sent", async () => {
  const sender = under.client.createSender("unique");
  await Promise.all([1, 2, 3].map((body) => sender.sendMessages({ body, messageId: "same" })));
  await sender.sendMessages([
    { body: 4, messageId: "same" },
    { body: 5, messageId: "other" },
  ]);
  const receiver = under.client.createReceiver("unique", { receiveMode: "receiveAndDelete" });
  expect((await receiveNow(receiver)).map(({ messageId }) => messageId)).toEqual(["same", "other"]);
  await sender.sendMessages({ body: 6, messageId: "same" });
  expect(await receiveNow(receiver)).toEqual([]);
});

test("an id is seen until its window is over, and forgotten after that", () => {
  const seen = new DuplicateWindow();
  seen.remember(1, "same", 1000);
  expect([1000, 20_999, 21_000].map((now) => seen.hasSeen("same", now, 20_000))).toEqual([true, true, false]);
  seen.remember(2, "other", 5000);
  expect([20_999, 21_000].map((now) => seen.forget(now, 20_000, 10))).toEqual([[], [1]]);
  expect(seen.hasSeen("other", 21_000, 20_000)).toBe(true);
});

test("messages without an id are nobody's duplicates", async () => {
  const sender = under.client.createSender("unique");
  await sender.sendMessages([{ body: "one" }, { body: "two" }]);
  const receiver = under.client.createReceiver("unique", { receiveMode: "receiveAndDelete" });
  expect((await receiveNow(receiver)).map(({ body }) => body)).toEqual(["one", "two"]);
});
