import type { EntityStatus } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() => under.start(["queue", "closing"].map((name) => ({ name, properties: {} }))));
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
