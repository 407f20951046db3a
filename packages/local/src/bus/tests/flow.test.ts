import { afterAll, beforeAll, expect, test } from "vitest";
import { checkInternals, types } from "../rhea-internals.ts";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() =>
  under.start(
    ["buffer", "drain", "compete", "peek", "graves", "credit", "latency"].map((name) => ({ name, properties: {} })),
  ),
);
afterAll(() => under.destroy());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a subscriber gets everything, each message once, over more than a link's buffer of 2048", async () => {
  const sender = under.client.createSender("buffer");
  const count = 3000;
  const bodies = Array.from({ length: count }, (_, index) => index);
  for (let start = 0; start < count; start += 500) {
    await sender.sendMessages(bodies.slice(start, start + 500).map((body) => ({ body })));
  }
  const received: number[] = [];
  const receiver = under.client.createReceiver("buffer");
  await new Promise<void>((resolve, reject) => {
    receiver.subscribe(
      {
        processMessage: async ({ body }) => {
          received.push(body as number);
          if (received.length === count) setTimeout(resolve, 100);
        },
        processError: async ({ error }) => reject(error),
      },
      { maxConcurrentCalls: 32 },
    );
  });
  await receiver.close();
  expect(received.toSorted((one, other) => one - other)).toEqual(bodies);
  expect(await under.client.createReceiver("buffer").peekMessages(1)).toEqual([]);
});

test("one sender may have more in the air than a session's buffer", async () => {
  const sender = under.client.createSender("compete");
  await Promise.all(Array.from({ length: 3000 }, (_, index) => sender.sendMessages({ body: index })));
  const queues = await under.get<{ name: string; active: number }[]>("/$queues");
  expect(queues.find(({ name }) => name === "compete")?.active).toBe(3000);
});

test("two receivers share what comes", async () => {
  const [one, other] = [under.client.createReceiver("compete"), under.client.createReceiver("compete")];
  const [ones, others] = await Promise.all([one, other].map((r) => r.receiveMessages(100, { maxWaitTimeInMs: 1000 })));
  const sequences = [...(ones ?? []), ...(others ?? [])].map(({ sequenceNumber }) => sequenceNumber?.toString());
  expect(sequences.length).toBe(200);
  expect(new Set(sequences).size).toBe(200);
});

test("a receiver is sent no more than it asked for", async () => {
  await under.client.createSender("credit").sendMessages([1, 2, 3].map((body) => ({ body })));
  expect((await receiveOne(under.client.createReceiver("credit"))).body).toBe(1);
  const others = await under.client.createReceiver("credit").receiveMessages(2, { maxWaitTimeInMs: 1000 });
  expect(others.map(({ body }) => body)).toEqual([2, 3]);
});

test("a drain is answered, with and without credit left, and the link lives on", async () => {
  const sender = under.client.createSender("drain");
  const receiver = under.client.createReceiver("drain");
  for (let round = 0; round < 3; round += 1) {
    const startedAt = Date.now();
    expect(await receiver.receiveMessages(5, { maxWaitTimeInMs: 100 })).toEqual([]);
    expect(Date.now() - startedAt).toBeLessThan(1000);
    await sender.sendMessages([{ body: 1 }, { body: 2 }]);
    const messages = await receiver.receiveMessages(5, { maxWaitTimeInMs: 100 });
    expect(messages.length).toBe(2);
    expect(Date.now() - startedAt).toBeLessThan(2500);
    for (const message of messages) await receiver.completeMessage(message);
  }
});

test("peeking goes on where it stopped, or starts where it is told, and takes nothing", async () => {
  await under.client.createSender("peek").sendMessages([1, 2, 3, 4].map((body) => ({ body })));
  const receiver = under.client.createReceiver("peek");
  const [first] = await under.client.createReceiver("peek").peekMessages(1);
  const bodies = async (count: number) => (await receiver.peekMessages(count)).map(({ body }) => body);
  expect([await bodies(2), await bodies(5), await bodies(5)]).toEqual([[2, 3], [4], []]);
  if (!first?.sequenceNumber) throw new Error("A peeked message has a sequence number");
  const again = await receiver.peekMessages(9, { fromSequenceNumber: first.sequenceNumber.add(2) });
  expect(again.map(({ body }) => body)).toEqual([3, 4]);
  // The SDK has the option and keeps it out of its published types.
  const options = { fromSequenceNumber: first.sequenceNumber, omitMessageBody: true };
  const [bare] = await receiver.peekMessages(1, options);
  expect(bare).toMatchObject({ body: undefined, messageId: first.messageId });
  expect((await receiveOne(receiver)).body).toBe(1);
});

test("dead letters are peeked in the order of their sequence numbers, whichever died first", async () => {
  await under.client.createSender("graves").sendMessages([{ body: 1 }, { body: 2 }]);
  const receiver = under.client.createReceiver("graves");
  const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 1000 });
  for (const message of messages.toReversed()) await receiver.deadLetterMessage(message);
  const graveyard = under.client.createReceiver("graves", { subQueueType: "deadLetter" });
  expect((await graveyard.peekMessages(2)).map(({ body }) => body)).toEqual([1, 2]);
});

test("a client that sends and receives on one connection is not held up by delayed acknowledgement", async () => {
  const sender = under.client.createSender("latency");
  const receiver = under.client.createReceiver("latency");
  receiver.subscribe({ processMessage: async () => {}, processError: async () => {} }, { maxConcurrentCalls: 16 });
  await sender.sendMessages({ body: 0 });
  const waits: number[] = [];
  const sending: Promise<unknown>[] = [];
  for (let round = 0; round < 150; round += 1) {
    const startedAt = performance.now();
    sending.push(sender.sendMessages({ body: round }).then(() => waits.push(performance.now() - startedAt)));
    await pause(4);
  }
  await Promise.all(sending);
  await receiver.close();
  const median = waits.toSorted((one, other) => one - other)[75] ?? 0;
  // Without the early acknowledgement it is above 20 ms; with it, below one.
  expect(median).toBeLessThan(12);
});

test("a rhea without the internals that the broker leans on is refused by name", () => {
  checkInternals();
  const { Writer } = types;
  Reflect.set(types, "Writer", undefined);
  try {
    expect(checkInternals).toThrow(/rhea 3\.0\.5.*types\.Writer/);
  } finally {
    Reflect.set(types, "Writer", Writer);
  }
});
