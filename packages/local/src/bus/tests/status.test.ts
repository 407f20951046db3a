import type { EntityStatus } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() =>
  under.start({
    queues: ["queue", "closing"].map((name) => ({ name, properties: {} })),
    topics: [{ name: "topic", properties: {}, subscriptions: [{ name: "sub", properties: {} }] }],
  }),
);
afterAll(() => under.destroy());

const DISABLED = { code: "MessagingEntityDisabled" };
const send = (entity: string) => under.client.createSender(entity).sendMessages({ body: 1 });
const receive = (entity = "queue") => under.client.createReceiver(entity).receiveMessages(1, { maxWaitTimeInMs: 200 });

async function setQueue(status: EntityStatus, name = "queue"): Promise<void> {
  const client = under.administer();
  await client.updateQueue({ ...(await client.getQueue(name)), status });
  expect((await client.getQueue(name)).status).toBe(status);
}

test.each<readonly [status: EntityStatus, canSend: boolean, canReceive: boolean]>([
  ["SendDisabled", false, true],
  ["ReceiveDisabled", true, false],
  ["Disabled", false, false],
  ["Active", true, true],
])("a queue that is %s", async (status, canSend, canReceive) => {
  await setQueue(status);
  const later = new Date(Date.now() + 60_000);
  const schedule = () => under.client.createSender("queue").scheduleMessages({ body: 1 }, later);
  if (canSend) await Promise.all([send("queue"), schedule()]);
  else {
    await expect(send("queue")).rejects.toMatchObject(DISABLED);
    await expect(schedule()).rejects.toMatchObject(DISABLED);
  }
  if (canReceive) await receive();
  else await expect(receive()).rejects.toMatchObject(DISABLED);
});

test("open links are closed when the entity is disabled, and what was sent before is kept", async () => {
  const sender = under.client.createSender("closing");
  const receiver = under.client.createReceiver("closing");
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  await receiver.completeMessage(await receiveOne(receiver));
  await setQueue("Disabled", "closing");
  await expect(sender.sendMessages({ body: 3 })).rejects.toMatchObject(DISABLED);
  await expect(receiver.receiveMessages(1, { maxWaitTimeInMs: 200 })).rejects.toMatchObject(DISABLED);
  await setQueue("Active", "closing");
  expect((await receiveNow(under.client.createReceiver("closing"))).map(({ body }) => body)).toEqual([2]);
});

test("a disabled topic takes nothing; a disabled subscription goes on collecting", async () => {
  const client = under.administer();
  const subscription = await client.getSubscription("topic", "sub");
  await client.updateSubscription({ ...subscription, status: "ReceiveDisabled" });
  await send("topic");
  const collected = () => under.client.createReceiver("topic", "sub").receiveMessages(1, { maxWaitTimeInMs: 200 });
  await expect(collected()).rejects.toMatchObject(DISABLED);
  await client.updateSubscription({ ...subscription, status: "Active" });
  expect(await collected()).toHaveLength(1);

  const topic = await client.getTopic("topic");
  const dueAt = Date.now() + 3000;
  await under.client.createSender("topic").scheduleMessages({ body: "due" }, new Date(dueAt));
  await client.updateTopic({ ...topic, status: "Disabled" });
  await expect(send("topic")).rejects.toMatchObject(DISABLED);
  await new Promise((resolve) => setTimeout(resolve, dueAt + 300 - Date.now()));
  expect(await collected()).toHaveLength(0);
  await client.updateTopic({ ...topic, status: "Active" });
  expect(await collected()).toHaveLength(1);
  await expect(client.updateTopic({ ...topic, status: "ReceiveDisabled" })).rejects.toThrow(/can be Active, Disabled/);
});
