import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest } from "./bus-under-test.ts";

const STATUSES = [
  ["SendDisabled", false, true],
  ["ReceiveDisabled", true, false],
  ["Disabled", false, false],
  ["Active", true, true],
] as const;
const under = new BusUnderTest();
beforeAll(() => under.start(STATUSES.map(([status]) => ({ name: status, properties: { status } }))));
afterAll(() => under.destroy());

const DISABLED = { code: "MessagingEntityDisabled" };

test.each(STATUSES)("a queue that is %s", async (status, canSend, canReceive) => {
  expect((await under.administer().getQueue(status)).status).toBe(status);
  const later = new Date(Date.now() + 60_000);
  const send = () => under.client.createSender(status).sendMessages({ body: 1 });
  const schedule = () => under.client.createSender(status).scheduleMessages({ body: 1 }, later);
  const receive = () => under.client.createReceiver(status).receiveMessages(1, { maxWaitTimeInMs: 200 });
  if (canSend) await Promise.all([send(), schedule()]);
  else {
    await expect(send()).rejects.toMatchObject(DISABLED);
    await expect(schedule()).rejects.toMatchObject(DISABLED);
  }
  if (canReceive) await receive();
  else await expect(receive()).rejects.toMatchObject(DISABLED);
});
