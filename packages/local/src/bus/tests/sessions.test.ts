import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
const properties = { requiresSession: true, maxDeliveryCount: 5 };
/** The others have a minute. */
const DURATIONS: Readonly<Record<string, string>> = { renew: "PT3S", expire: "PT0.6S" };
const QUEUES = ["named", "next", "wait", "state", "renew", "expire", "plain"].map((name) => ({
  name,
  properties: name === "plain" ? {} : { ...properties, lockDuration: DURATIONS[name] ?? "PT1M" },
}));
beforeAll(() => under.start(QUEUES));
afterAll(() => under.destroy());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a session is accepted by id, in order, by one receiver at a time", async () => {
  const sender = under.client.createSender("named");
  await sender.sendMessages([
    { body: 1, sessionId: "a" },
    { body: 2, sessionId: "b" },
    { body: 3, sessionId: "a" },
  ]);
  const receiver = await under.client.acceptSession("named", "a");
  expect(receiver.sessionId).toBe("a");
  expect(receiver.sessionLockedUntilUtc.getTime()).toBeGreaterThan(Date.now() + 30_000);
  const messages = await receiver.receiveMessages(3, { maxWaitTimeInMs: 300 });
  expect(messages.map(({ body, sessionId }) => [body, sessionId])).toEqual([
    [1, "a"],
    [3, "a"],
  ]);
  await expect(under.client.acceptSession("named", "a")).rejects.toMatchObject({ code: "SessionCannotBeLocked" });
  for (const message of messages) await receiver.completeMessage(message);
  await receiver.close();
  const again = await under.client.acceptSession("named", "a");
  expect(await again.receiveMessages(1, { maxWaitTimeInMs: 150 })).toEqual([]);
  await again.close();
});

test("the next session is one with messages that nobody holds", async () => {
  await under.client.createSender("next").sendMessages([
    { body: 1, sessionId: "x" },
    { body: 2, sessionId: "y" },
  ]);
  const first = await under.client.acceptNextSession("next");
  const second = await under.client.acceptNextSession("next");
  expect([first.sessionId, second.sessionId].toSorted()).toEqual(["x", "y"]);
  await Promise.all([first.close(), second.close()]);
});

test("who finds no session waits for one, and what a closed receiver held goes to the next", async () => {
  const waiting = under.client.acceptNextSession("wait");
  await pause(100);
  await under.client.createSender("wait").sendMessages({ body: "late", sessionId: "s" });
  const receiver = await waiting;
  expect(receiver.sessionId).toBe("s");
  await receiveOne(receiver);
  const next = under.client.acceptNextSession("wait");
  await pause(100);
  await receiver.close();
  const successor = await next;
  expect(await receiveOne(successor)).toMatchObject({ body: "late", deliveryCount: 1 });
  await successor.close();
});

test("waiting for a session ends in ServiceTimeout", async () => {
  const retryOptions = { timeoutInMs: 300, maxRetries: 0 };
  const client = new ServiceBusClient(under.bus.connectionString, { retryOptions });
  await expect(client.acceptNextSession("state")).rejects.toMatchObject({ code: "ServiceTimeout" });
  await client.close();
});

test("a session has a state that outlives its holder, and can be cleared", async () => {
  const receiver = await under.client.acceptSession("state", "s");
  expect(await receiver.getSessionState()).toBeNull();
  await receiver.setSessionState({ step: 3 });
  await receiver.close();
  const again = await under.client.acceptSession("state", "s");
  expect(await again.getSessionState()).toEqual({ step: 3 });
  await again.setSessionState(null);
  expect(await again.getSessionState()).toBeNull();
  await again.close();
});

test("a renewed session outlives its first term", async () => {
  await under.client.createSender("renew").sendMessages({ body: 1, sessionId: "s" });
  const receiver = await under.client.acceptSession("renew", "s", { maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  for (let round = 0; round < 4; round += 1) {
    await pause(1000);
    expect((await receiver.renewSessionLock()).getTime()).toBeGreaterThan(Date.now() + 1500);
  }
  await receiver.completeMessage(message);
  await receiver.close();
});

test("a session lock that ran out closes the receiver and gives the messages back", async () => {
  await under.client.createSender("expire").sendMessages({ body: 1, sessionId: "s" });
  const receiver = await under.client.acceptSession("expire", "s", { maxAutoLockRenewalDurationInMs: 0 });
  const message = await receiveOne(receiver);
  await pause(800);
  await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: "SessionLockLost" });
  const again = await under.client.acceptSession("expire", "s");
  expect(await receiveOne(again)).toMatchObject({ body: 1, deliveryCount: 1 });
  await again.close();
});

test(REJECTIONS.noSession.what, async () => {
  const sending = under.client.createSender("named").sendMessages({ body: 1 });
  await expect(sending).rejects.toThrow(/^InvalidOperationError: .*session/);
});

test(REJECTIONS.receiver.what, async () => {
  const receiving = under.client.createReceiver("named").receiveMessages(1, { maxWaitTimeInMs: 300 });
  const message = /^InvalidOperationError: .*requires sessions/;
  await expect(receiving).rejects.toThrow(message);
  // By chance of time the SDK sees the error first, or that no session was named: InvalidOperationError or SessionCannotBeLocked.
  await expect(under.client.acceptSession("plain", "s")).rejects.toThrow(/session/i);
});

test("states and messages of sessions survive a restart", async () => {
  await under.client.createSender("state").sendMessages({ body: "kept", sessionId: "r" });
  const receiver = await under.client.acceptSession("state", "r");
  await receiver.setSessionState("here");
  await under.stop();
  await under.start(QUEUES);
  const again = await under.client.acceptSession("state", "r");
  expect(await again.getSessionState()).toBe("here");
  expect((await receiveOne(again)).body).toBe("kept");
});
