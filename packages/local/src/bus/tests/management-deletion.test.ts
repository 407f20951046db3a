// Messages are deleted in batches and peeked at, as newer SDKs ask for it over `$management`.
import { once } from "node:events";
import rhea, { type Connection } from "rhea";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUS_LIMITS as LIMITS } from "../limits.ts";
import { types } from "../rhea-internals.ts";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
const plain = ["many", "held", "aged", "odd", "peeked", "graves"].map((name) => ({ name, properties: {} }));
const ENTITIES = [
  ...plain,
  { name: "grouped", properties: { requiresSession: true } },
  { name: "split", properties: { enablePartitioning: true } },
];
let connection: Connection;
beforeAll(async () => {
  await under.start(ENTITIES);
  connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
  connection.on("disconnected", () => {});
  await once(connection, "connection_open");
});
afterAll(async () => {
  connection.close();
  await once(connection, "connection_close");
  await under.destroy();
});

interface Answer {
  readonly body?: unknown;
  readonly application_properties: { readonly statusCode: number; readonly errorCondition?: string };
}

interface Wanted {
  readonly before?: Date;
  readonly session?: string;
}

/** As version 7.10 of the SDK asks. */
async function remove(entity: string, count: unknown, { before = new Date(Date.now() + 1000), session }: Wanted = {}) {
  const address = `${entity}/$management`;
  const [requests, answers] = [connection.open_sender(address), connection.open_receiver(address)];
  await Promise.all([once(requests, "sendable"), once(answers, "receiver_open")]);
  const body = {
    "message-count": typeof count === "number" ? types.wrap_int(count) : count,
    "enqueued-time-utc": before,
    ...(session === undefined ? {} : { "session-id": session }),
  };
  const properties = { operation: "com.microsoft:batch-delete-messages" };
  requests.send({ message_id: "m", application_properties: properties, body });
  const [{ message }] = (await once(answers, "message")) as [{ message: Answer }];
  const { statusCode, errorCondition } = message.application_properties;
  const deleted = (message.body as { readonly "message-count"?: number } | undefined)?.["message-count"];
  for (const link of [requests, answers]) link.close();
  return [statusCode, deleted ?? errorCondition];
}

const NONE = [204, "com.microsoft:message-not-found"];
const OUT_OF_RANGE = [400, "com.microsoft:argument-out-of-range"];
const NOT_ALLOWED = [400, "amqp:not-allowed"];

async function fill(entity: string, count: number, more: object = {}): Promise<void> {
  const messages = Array.from({ length: count }, (_, n) => ({ body: n, ...more }));
  await under.client.createSender(entity).sendMessages(messages);
}

test(LIMITS.deletedMessages.what, async () => {
  const { value } = LIMITS.deletedMessages;
  await fill("many", value + 1);
  expect(await remove("many", value + 1)).toEqual(OUT_OF_RANGE);
  for (const count of [0, -1, "10", null]) expect(await remove("many", count), String(count)).toEqual(OUT_OF_RANGE);
  expect(await remove("many", value)).toEqual([200, value]);
  // The oldest go first.
  expect((await under.client.createReceiver("many").peekMessages(2)).map(({ body }) => body)).toEqual([value]);
  expect([await remove("many", value), await remove("many", value)]).toEqual([[200, 1], NONE]);
});

test("what is locked, deferred or scheduled stays", async () => {
  const sender = under.client.createSender("held");
  await fill("held", 4);
  await sender.scheduleMessages({ body: "scheduled" }, new Date(Date.now() + 60_000));
  const receiver = under.client.createReceiver("held");
  const [locked, deferred] = await receiver.receiveMessages(2, { maxWaitTimeInMs: 3000 });
  if (!locked || !deferred) throw new Error("Two messages were sent");
  await receiver.deferMessage(deferred);
  expect([await remove("held", 10), await remove("held", 10)]).toEqual([[200, 2], NONE]);
  await receiver.completeMessage(locked);
  await receiver.close();
  const left = await under.client.createReceiver("held").peekMessages(10);
  expect(left.map(({ body }) => body).toSorted()).toEqual([1, "scheduled"]);
});

test("only what was enqueued before the given instant is deleted", async () => {
  await fill("aged", 1);
  const [first] = await under.client.createReceiver("aged").peekMessages(1);
  const at = first?.enqueuedTimeUtc ?? new Date(0);
  expect(await remove("aged", 10, { before: at })).toEqual(NONE);
  expect(await remove("aged", 10, { before: new Date(at.getTime() + 1) })).toEqual([200, 1]);
});

test("a session's messages are deleted by whoever holds the session, and no others", async () => {
  await fill("grouped", 2, { sessionId: "a" });
  await fill("grouped", 1, { sessionId: "b" });
  expect(await remove("grouped", 10)).toEqual(NOT_ALLOWED);
  expect(await remove("grouped", 10, { session: "a" })).toEqual([410, "com.microsoft:session-lock-lost"]);
  const session = await under.client.acceptSession("grouped", "a");
  expect(await remove("grouped", 10, { session: "a" })).toEqual([200, 2]);
  expect(await receiveNow(session)).toEqual([]);
  await session.close();
  const other = await under.client.acceptSession("grouped", "b");
  expect((await receiveOne(other)).sessionId).toBe("b");
  await other.close();
  expect(await remove("odd", 10, { session: "a" })).toEqual(NOT_ALLOWED);
});

test("dead letters are deleted", async () => {
  await fill("graves", 2);
  const receiver = under.client.createReceiver("graves");
  for (const message of await receiver.receiveMessages(2)) await receiver.deadLetterMessage(message);
  expect(await remove("graves/$DeadLetterQueue", 10)).toEqual([200, 2]);
  await receiver.close();
});

test.each(["split", "split/$DeadLetterQueue"])("of the partitioned entity %s nothing is deleted", async (entity) =>
  expect(await remove(entity, 10)).toEqual(NOT_ALLOWED),
);

test(LIMITS.peekedMessages.what, async () => {
  const { value } = LIMITS.peekedMessages;
  await fill("peeked", value + 1);
  const receiver = under.client.createReceiver("peeked");
  expect(await receiver.peekMessages(value + 1)).toHaveLength(value);
  expect(await receiver.peekMessages(value + 1)).toHaveLength(1);
});
