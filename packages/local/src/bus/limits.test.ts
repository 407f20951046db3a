// What Azure Service Bus allows at most: each limit is kept to its value, and refused beyond it.
import type { ServiceBusMessage } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";
import { readIncoming } from "./encoded-message.ts";
import { isEntityName, isPartName } from "./entity-path.ts";
import { BUS_LIMITS as LIMITS } from "./limits.ts";
import { parseSettings } from "./queue-settings.ts";
import { messages } from "./rhea-internals.ts";
import { startBus } from "./start.ts";

const under = new BusUnderTest();
const ENTITIES = [
  { name: "plain", properties: {} },
  { name: "session", properties: { requiresSession: true } },
];
beforeAll(() => under.start(ENTITIES));
afterAll(() => under.destroy());

const send = (message: Partial<ServiceBusMessage>, queue = "plain") =>
  under.client.createSender(queue).sendMessages({ body: 1, ...message });
/** As clients send it that check nothing themselves. */
const read = (message: object) => readIncoming(messages.encode({ body: 1, ...message }), () => "new");

const outcomeOf = (properties: object) => {
  const settings = parseSettings("q", { ...properties });
  return typeof settings === "string" ? "refused" : "taken";
};

test(LIMITS.messageBytes.what, async () => {
  await send({ body: "x".repeat(LIMITS.messageBytes.value - 200) });
  for (const size of [LIMITS.messageBytes.value, 1_500_000, 5_000_000]) {
    const startedAt = Date.now();
    await expect(send({ body: "x".repeat(size) })).rejects.toMatchObject({ code: "MessageSizeExceeded" });
    expect(Date.now() - startedAt).toBeLessThan(5000);
  }
});

test(LIMITS.propertyBytes.what, async () => {
  const most = LIMITS.propertyBytes.value;
  await send({ applicationProperties: { a: "x".repeat(most - 100) } });
  await expect(send({ applicationProperties: { a: "x".repeat(most) } })).rejects.toThrow(/32768/);
});

test(LIMITS.propertiesBytes.what, async () => {
  const properties = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, "x".repeat(10_000)]));
  await send({ applicationProperties: properties(6) });
  await expect(send({ applicationProperties: properties(7) })).rejects.toThrow(/65536/);
});

test(LIMITS.messageId.what, async () => {
  const { value } = LIMITS.messageId;
  await send({ messageId: "é".repeat(value) });
  expect(() => read({ message_id: "é".repeat(value + 1) })).toThrow(`${value} characters at most`);
});

test(LIMITS.sessionId.what, async () => {
  const { value } = LIMITS.sessionId;
  await send({ sessionId: "s".repeat(value) }, "session");
  expect(() => read({ group_id: "s".repeat(value + 1) })).toThrow(`${value} characters at most`);
});

test(LIMITS.partitionKey.what, async () => {
  await send({ partitionKey: "k".repeat(LIMITS.partitionKey.value) });
  const key = "k".repeat(LIMITS.partitionKey.value + 1);
  expect(() => read({ message_annotations: { "x-opt-partition-key": key } })).toThrow("128 characters at most");
});

test("the partition key of a message with a session is the id of the session", async () => {
  await send({ sessionId: "s", partitionKey: "s" }, "session");
  const other = { group_id: "s", message_annotations: { "x-opt-partition-key": "other" } };
  expect(() => read(other)).toThrow("has to be the id of the session");
});

test.each([{ list: ["a"] }, { map: { a: 1 } }])("a property has no parts: %j", async (applicationProperties) => {
  await expect(send({ applicationProperties: applicationProperties as never })).rejects.toThrow(/property/i);
});

test(LIMITS.sessionStateBytes.what, async () => {
  await send({ sessionId: "state" }, "session");
  const receiver = await under.client.acceptSession("session", "state");
  await receiver.setSessionState(Buffer.alloc(LIMITS.sessionStateBytes.value - 2000));
  await expect(receiver.setSessionState(Buffer.alloc(LIMITS.sessionStateBytes.value + 1))).rejects.toThrow();
  await receiver.close();
});

test(LIMITS.deadLetterReason.what, async () => {
  await under.administer().createQueue("reasons", undefined as never);
  await send({ body: "buried" }, "reasons");
  const receiver = under.client.createReceiver("reasons");
  const message = await receiveOne(receiver);
  const deadLetterReason = "r".repeat(LIMITS.deadLetterReason.value);
  const reason = { deadLetterReason: `${deadLetterReason}r`, deadLetterErrorDescription: "" };
  await expect(receiver.deadLetterMessage(message, reason)).rejects.toThrow("4096 characters at most");
  await receiver.close();
});

test(LIMITS.lockMs.what, () => {
  expect(["PT5M", "PT5M1S", "PT0S"].map((lockDuration) => outcomeOf({ lockDuration }))).toEqual([
    "taken",
    "refused",
    "refused",
  ]);
  expect(outcomeOf({ defaultMessageTimeToLive: "PT0S" })).toBe("refused");
});

const windows = (...texts: string[]) =>
  texts.map((duplicateDetectionHistoryTimeWindow) => outcomeOf({ duplicateDetectionHistoryTimeWindow }));

test(LIMITS.duplicateWindowMs.what, () => expect(windows("P7D", "P7DT1S")).toEqual(["taken", "refused"]));

test(LIMITS.leastDuplicateWindowMs.what, () => expect(windows("PT20S", "PT19S")).toEqual(["taken", "refused"]));

test(LIMITS.leastIdleMs.what, () => {
  const outcomes = ["PT5M", "PT4M59S"].map((autoDeleteOnIdle) => outcomeOf({ autoDeleteOnIdle }));
  expect(outcomes).toEqual(["taken", "refused"]);
});

test(LIMITS.maxDeliveryCount.what, () => {
  expect([2000, 2001, 0].map((maxDeliveryCount) => outcomeOf({ maxDeliveryCount }))).toEqual([
    "taken",
    "refused",
    "refused",
  ]);
});

test(LIMITS.userMetadata.what, () => {
  const { value } = LIMITS.userMetadata;
  expect([value, value + 1].map((size) => outcomeOf({ userMetadata: "m".repeat(size) }))).toEqual(["taken", "refused"]);
});

test(LIMITS.entityName.what, () => {
  const { value } = LIMITS.entityName;
  expect([value, value + 1].map((size) => isEntityName("n".repeat(size)))).toEqual([true, false]);
});

test(LIMITS.partName.what, () => {
  const { value } = LIMITS.partName;
  expect([value, value + 1].map((size) => isPartName("n".repeat(size)))).toEqual([true, false]);
});

test.each(["requiresSession", "requiresDuplicateDetection", "enablePartitioning"])(
  "%s is fixed when a queue is created",
  async (name) => {
    const data = `${under.folder}/${name}`;
    const start = (properties: object) =>
      startBus({ port: 0, adminPort: 0, data, queues: [{ name: "orders", properties: { ...properties } }] });
    await (await start({})).close();
    await expect(start({ [name]: true })).rejects.toThrow(`${name} cannot be changed`);
    await (await start({ [name]: false })).close();
  },
);

test("what a message has keeps its type when it is sent again", async () => {
  const at = new Date(1_700_000_000_000);
  await under.administer().createQueue("again", undefined as never);
  const sender = under.client.createSender("again");
  const applicationProperties = { whole: 1, part: 1.5, text: "t", yes: true, at, large: 2 ** 40 };
  await sender.sendMessages({ body: { a: 1 }, applicationProperties, subject: "s", correlationId: "c" });
  const receiver = under.client.createReceiver("again", { receiveMode: "receiveAndDelete" });
  const first = await receiveOne(receiver);
  await sender.sendMessages(first);
  expect((await receiveOne(receiver)).applicationProperties).toEqual(first.applicationProperties);
});
