// What Azure Service Bus allows at most: each limit is kept to its value, and refused beyond it.
import type { ServiceBusMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readIncoming } from "../encoded/encoded-message.ts";
import { EntityCatalog } from "../entities/entity-catalog.ts";
import { isEntityName } from "../entities/entity-path.ts";
import { type CountedEntity, entityQuotaFault } from "../entities/quotas.ts";
import { BUS_LIMITS as LIMITS } from "../limits.ts";
import { newMessage } from "../queue/admission.ts";
import { findObstacle } from "../queue/forwarding.ts";
import type { Queue } from "../queue/queue.ts";
import { parseSettings, readSettings } from "../queue/queue-settings.ts";
import { Store } from "../queue/store.ts";
import { BUS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { messages } from "../rhea-internals.ts";
import { startBus } from "../start.ts";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

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

test(REJECTIONS.sessionKey.what, async () => {
  await send({ sessionId: "s", partitionKey: "s" }, "session");
  await send({ sessionId: "", partitionKey: "s" }, "session");
  const other = { group_id: "s", message_annotations: { "x-opt-partition-key": "other" } };
  expect(() => read(other)).toThrow("has to be the id of the session");
});

describe(REJECTIONS.propertyParts.what, () => {
  test.each([{ list: ["a"] }, { map: { a: 1 } }])("%j", async (applicationProperties) => {
    await expect(send({ applicationProperties: applicationProperties as never })).rejects.toThrow(/property/i);
  });
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

const megabytes = (properties: object, ...sizes: number[]) =>
  sizes.map((maxSizeInMegabytes) => outcomeOf({ maxSizeInMegabytes, ...properties }));

test(LIMITS.entityMegabytes.what, () => {
  const { value } = LIMITS.entityMegabytes;
  expect(megabytes({}, 1024, value, value + 1024, 1025, 0)).toEqual([
    "taken",
    "taken",
    "refused",
    "refused",
    "refused",
  ]);
});

test(LIMITS.partitionedMegabytes.what, () => {
  const { value } = LIMITS.partitionedMegabytes;
  expect(megabytes({ enablePartitioning: true }, value, value + 1024)).toEqual(["taken", "refused"]);
});

test(LIMITS.usualMegabytes.what, async () => {
  await under.administer().createQueue("full", undefined as never);
  await send({ body: "before" }, "full");
  const most = LIMITS.usualMegabytes.value * 1024 * 1024;
  const asked: number[] = [];
  const holds = vi.spyOn(Store.prototype, "holds").mockImplementation((_, bytes) => asked.push(bytes) > 0);
  try {
    await expect(send({ body: "beyond" }, "full")).rejects.toMatchObject({ code: "QuotaExceeded" });
    const scheduled = under.client.createSender("full").scheduleMessages({ body: 1 }, new Date(Date.now() + 60_000));
    await expect(scheduled).rejects.toThrow("is full");
  } finally {
    holds.mockRestore();
  }
  expect(new Set(asked)).toEqual(new Set([most]));
  await send({ body: "after" }, "full");
  expect((await under.client.createReceiver("full").peekMessages(5)).map(({ body }) => body)).toEqual([
    "before",
    "after",
  ]);
});

test("what an entity holds is counted with what came, and anew where it may be full", async () => {
  const store = new Store(`${under.folder}/sizes.sqlite`, "normal");
  const incoming = readIncoming(messages.encode({ body: "x".repeat(1000) }), () => "id");
  const insert = (sequence: number) =>
    store.commit(() => store.insert(7, newMessage(incoming, sequence, readSettings("q", {}), 0), incoming.bytes));
  const one = incoming.bytes.length;
  await insert(1);
  await insert(2);
  expect([store.holds(7, 2 * one, 0), store.holds(7, 2 * one + 1, 0)]).toEqual([true, false]);
  await store.commit(() => store.remove(7, 1));
  // Counted a moment ago.
  expect(store.holds(7, 2 * one, 10)).toBe(true);
  expect(store.holds(7, 2 * one, 5000)).toBe(false);
  expect(store.holds(7, one, 5000)).toBe(true);
  store.close();
});

const many = (length: number, enablePartitioning = false): CountedEntity[] =>
  Array(length).fill({ queue: { settings: readSettings("q", { enablePartitioning }) } });

test(LIMITS.entities.what, () => {
  const { value } = LIMITS.entities;
  expect(entityQuotaFault({}, many(value - 1))).toBeUndefined();
  expect(entityQuotaFault({}, many(value))).toContain("quota");
});

test(LIMITS.partitionedEntities.what, () => {
  const of = (count: number, enablePartitioning = true) => entityQuotaFault({ enablePartitioning }, many(count, true));
  const { value } = LIMITS.partitionedEntities;
  expect([of(value - 1), of(value, false)]).toEqual([undefined, undefined]);
  expect(of(value)).toContain("quota");
});

test("an entity beyond a quota is a 403", async () => {
  const admin = under.administer();
  const there = Array(LIMITS.entities.value).fill({ queue: { tick: () => {} } });
  const all = vi.spyOn(EntityCatalog.prototype, "all").mockReturnValue(there);
  try {
    await expect(admin.createQueue("one-more")).rejects.toMatchObject({ statusCode: 403 });
  } finally {
    all.mockRestore();
  }
});

test(LIMITS.hops.what, () => {
  const target = { settings: { canSend: true } } as Queue;
  expect(findObstacle(target, LIMITS.hops.value)).toBeUndefined();
  expect(findObstacle(target, LIMITS.hops.value + 1)?.reason).toBe("MaxTransferHopCountExceeded");
});

test.each(["abandonMessage", "deferMessage", "deadLetterMessage"] as const)(
  "%s does not make properties larger than they may be, and the message stays",
  async (settle) => {
    const name = settle.toLowerCase();
    await under.administer().createQueue(name, undefined as never);
    await send({ applicationProperties: { first: "x".repeat(20_000), second: "x".repeat(20_000) } }, name);
    const receiver = under.client.createReceiver(name);
    const message = await receiveOne(receiver);
    const third = { third: "x".repeat(30_000) };
    await expect(receiver[settle](message, third as never)).rejects.toThrow("65536 bytes at most");
    await receiver.close();
    const [waits] = await under.client.createReceiver(name).peekMessages(1);
    expect(Object.keys(waits?.applicationProperties ?? {})).toEqual(["first", "second"]);
    await receiver.close();
  },
);

describe(REJECTIONS.fixed.what, () => {
  test.each(["requiresSession", "requiresDuplicateDetection", "enablePartitioning"])("%s", async (name) => {
    const data = `${under.folder}/${name}`;
    const start = (properties: object) =>
      startBus({ port: 0, adminPort: 0, data, queues: [{ name: "orders", properties: { ...properties } }] });
    await (await start({})).close();
    await expect(start({ [name]: true })).rejects.toThrow(`${name} cannot be changed`);
    await (await start({ [name]: false })).close();
  });
});

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
