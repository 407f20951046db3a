import { afterAll, beforeAll, expect, test } from "vitest";
import { BUS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { startBus } from "../start.ts";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
const queue = (name: string, properties = {}) => ({ name, properties });
const to = (forwardTo: string) => ({ forwardTo });
const ENTITIES = [
  // A destination may be declared later than its source.
  queue("source", to("sb://127.0.0.1:5672/target")),
  queue("target"),
  ...["1", "2", "3", "4", "5"].map((hop) => queue(`hop${hop}`, to(`hop${Number(hop) + 1}`))),
  queue("hop6"),
  queue("hops1", to("hops2")),
  queue("hops2", to("hops3")),
  queue("hops3", to("hops4")),
  queue("hops4", to("hops5")),
  queue("hops5"),
  queue("graves", { maxDeliveryCount: 1, forwardDeadLetteredMessagesTo: "cemetery" }),
  queue("cemetery"),
  queue("ping", { forwardDeadLetteredMessagesTo: "pong", maxDeliveryCount: 1 }),
  queue("pong", { forwardDeadLetteredMessagesTo: "ping", maxDeliveryCount: 1 }),
  queue("dull", to("unique")),
  queue("unique", { requiresDuplicateDetection: true }),
  queue("lasting", to("mortal")),
  queue("mortal", { defaultMessageTimeToLive: "PT0.2S", deadLetteringOnMessageExpiration: true }),
  queue("to-closed", to("closed")),
  queue("closed", { status: "SendDisabled" }),
  queue("late"),
  queue("to-sessions", to("grouped")),
  queue("grouped", { requiresSession: true }),
];
beforeAll(() => under.start(ENTITIES));
afterAll(() => under.destroy());

const dead = { subQueueType: "deadLetter" } as const;
const bodies = async (name: string) => (await receiveNow(under.client.createReceiver(name))).map(({ body }) => body);

test("what is sent to the source arrives at the target, in order, and tells its first number", async () => {
  await under.client.createSender("source").sendMessages([{ body: 1, messageId: "one" }, { body: 2 }]);
  const receiver = under.client.createReceiver("target");
  const [first, second] = await receiver.receiveMessages(2, { maxWaitTimeInMs: 2000 });
  expect([first?.body, second?.body]).toEqual([1, 2]);
  expect(first).toMatchObject({ messageId: "one", enqueuedSequenceNumber: 1, deliveryCount: 0 });
  expect(await under.client.createReceiver("source").peekMessages(1)).toEqual([]);
  await expect(under.client.createReceiver("source").receiveMessages(1, { maxWaitTimeInMs: 200 })).rejects.toThrow(
    /it forwards its messages/,
  );
});

test("a scheduled message waits in the source", async () => {
  await under.client.createSender("source").scheduleMessages({ body: "later" }, new Date(Date.now() + 400));
  expect(await under.client.createReceiver("source").peekMessages(1)).toMatchObject([{ body: "later" }]);
  const receiver = under.client.createReceiver("target", { receiveMode: "receiveAndDelete" });
  expect((await receiveOne(receiver)).body).toBe("later");
});

test("a message passes four times and is a dead letter the fifth", async () => {
  await under.client.createSender("hops1").sendMessages({ body: 4 });
  expect(await bodies("hops5")).toEqual([4]);
  await under.client.createSender("hop1").sendMessages({ body: 5 });
  expect(await bodies("hop6")).toEqual([]);
  const buried = await receiveOne(under.client.createReceiver("hop5", dead));
  expect(buried).toMatchObject({ body: 5, deadLetterReason: "MaxTransferHopCountExceeded" });
});

test("dead letters are forwarded however they died, with their reason and where they did", async () => {
  await under.client.createSender("graves").sendMessages({ body: "bad", applicationProperties: { kept: 1 } });
  const receiver = under.client.createReceiver("graves");
  await receiver.deadLetterMessage(await receiveOne(receiver), {
    deadLetterReason: "invalid",
    deadLetterErrorDescription: "no lines",
  });
  const buried = await receiveOne(under.client.createReceiver("cemetery"));
  expect(buried).toMatchObject({
    deadLetterReason: "invalid",
    deadLetterErrorDescription: "no lines",
    deadLetterSource: "graves",
    applicationProperties: { kept: 1 },
  });
});

test("two queues that forward their dead letters to each other do not do so for ever", async () => {
  await under.client.createSender("ping").sendMessages({ body: "ball" });
  for (const name of ["ping", "pong", "ping", "pong", "ping"]) {
    const receiver = under.client.createReceiver(name);
    await receiver.abandonMessage(await receiveOne(receiver));
    await receiver.close();
  }
  expect((await receiveOne(under.client.createReceiver("ping", dead))).body).toBe("ball");
});

test("the target's own rules hold: duplicates, time to live, sessions", async () => {
  for (const body of [1, 2]) await under.client.createSender("dull").sendMessages({ body, messageId: "same" });
  expect(await bodies("unique")).toEqual([1]);
  await under.client.createSender("lasting").sendMessages({ body: "old" });
  expect((await receiveOne(under.client.createReceiver("mortal", dead))).deadLetterReason).toBe("TTLExpiredException");
  await under.client.createSender("to-sessions").sendMessages([{ body: 1, sessionId: "s" }, { body: 2 }]);
  const session = await under.client.acceptSession("grouped", "s");
  expect((await receiveOne(session)).body).toBe(1);
  await session.close();
  expect((await receiveOne(under.client.createReceiver("grouped", dead))).deadLetterReason).toBe("Session ID is null.");
});

test("what cannot be forwarded is a dead letter of the source", async () => {
  await under.client.createSender("to-closed").sendMessages({ body: 1 });
  const buried = await receiveOne(under.client.createReceiver("to-closed", dead));
  expect(buried.deadLetterErrorDescription).toMatch(/is disabled/);
});

test("forwarding that is declared later moves what waits", async () => {
  await under.client.createSender("late").sendMessages([{ body: "held" }, { body: "waits" }]);
  await receiveOne(under.client.createReceiver("late"));
  await under.stop();
  await under.start(ENTITIES.map((entity) => (entity.name === "late" ? queue("late", to("hop6")) : entity)));
  expect(await bodies("hop6")).toEqual(["held", "waits"]);
  await expect(under.client.createReceiver("late").receiveMessages(1, { maxWaitTimeInMs: 200 })).rejects.toThrow(
    /forwards/,
  );
});

test(REJECTIONS.forward.what, async () => {
  const client = under.administer();
  await expect(client.createQueue("bad", { forwardTo: "absent" })).rejects.toThrow(/no such queue/);
  await expect(client.createQueue("bad", { forwardTo: "bad" })).rejects.toThrow(/to itself/);
  await expect(client.createQueue("bad", { forwardTo: "target", requiresSession: true })).rejects.toThrow(/sessions/);
  const queues = [queue("bad", to("absent"))];
  await expect(startBus({ port: 0, adminPort: 0, data: `${under.folder}/bad`, queues })).rejects.toThrow(/absent/);
});
