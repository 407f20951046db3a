// What clients see while a commit is on its way to the disk.
import { ServiceBusClient } from "@azure/service-bus";
import Long from "long";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { holdFlushes, isSettled } from "../../database/held-flushes.ts";
import { WriteAheadLog } from "../../database/write-ahead-log.ts";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
under.durability = "full";
const QUEUES = [
  { name: "plain", properties: {} },
  { name: "sessions", properties: { requiresSession: true } },
];
beforeAll(() => under.start(QUEUES));
afterAll(() => under.destroy());

function slowFlushes(ms: number): void {
  const flush = vi
    .spyOn(WriteAheadLog.prototype, "flush")
    .mockImplementation((done) => void setTimeout(done, ms, null));
  onTestFinished(() => flush.mockRestore());
}

test("a message is neither acknowledged nor delivered before it is on the disk", async () => {
  const held = holdFlushes();
  const receiver = under.client.createReceiver("plain");
  const received = receiveOne(receiver);
  const sent = under.client.createSender("plain").sendMessages({ body: "first" });
  await held.next();
  expect(await isSettled(Promise.race([sent, received]))).toBe(false);
  held.end();
  await sent;
  const message = await received;
  const completed = receiver.completeMessage(message);
  await held.next();
  expect(await isSettled(completed)).toBe(false);
  held.end();
  await completed;
  await receiver.close();
});

test("what the holder of a session gave back goes to the next one first", async () => {
  const sender = under.client.createSender("sessions");
  await sender.sendMessages([1, 2, 3].map((body) => ({ body, sessionId: "s" })));
  const first = await under.client.acceptSession("sessions", "s");
  expect(await receiveOne(first)).toMatchObject({ body: 1 });
  slowFlushes(40);
  await first.close();
  const second = await under.client.acceptSession("sessions", "s");
  const received = await second.receiveMessages(3, { maxWaitTimeInMs: 1000 });
  expect(received.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
    [1, 1],
    [2, 0],
    [3, 0],
  ]);
  await second.close();
});

test("who peeks during a settlement sees the message as it was or not at all, also where its bytes are only in the store", async () => {
  await under.client.createSender("plain").sendMessages([{ body: "completed" }, { body: "changed" }]);
  await under.stop();
  await under.start(QUEUES);
  const first = under.client.createReceiver("plain");
  const second = under.client.createReceiver("plain");
  const [completed, changed] = [await receiveOne(first), await receiveOne(second)];
  const client = new ServiceBusClient(under.bus.connectionString, { retryOptions: { maxRetries: 0 } });
  const peeker = client.createReceiver("plain");
  const held = holdFlushes();
  const settled = Promise.all([first.completeMessage(completed), second.abandonMessage(changed, { state: "changed" })]);
  await held.next();
  const peeked = peeker.peekMessages(10, { fromSequenceNumber: Long.ZERO });
  expect(await isSettled(peeked)).toBe(false);
  held.release();
  expect((await peeked).map(({ body }) => body)).toEqual(["changed"]);
  await settled;
  expect(await receiveNow(peeker)).toMatchObject([{ applicationProperties: { state: "changed" }, deliveryCount: 1 }]);
  await Promise.all([first.close(), second.close(), client.close()]);
});
