import { once } from "node:events";
import rhea, { type Connection, type EventContext, type Receiver } from "rhea";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest } from "./bus-under-test.ts";

// What another AMQP 1.0 client may do, and the SDK does only when things cross on the wire.
const under = new BusUnderTest();
let connection: Connection;

beforeAll(async () => {
  await under.start(["early", "drained", "released", "settled"].map((name) => ({ name, properties: {} })));
  connection = rhea
    .create_container()
    .connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false, session_buffer_size: 4096 });
  connection.on("disconnected", () => {});
  await once(connection, "connection_open");
});
afterAll(async () => {
  connection.close();
  await once(connection, "connection_close");
  await under.destroy();
});

/** One session for each link, as the SDK has it. */
function receiveFrom(address: string): Receiver {
  const session = connection.create_session();
  session.begin();
  return session.open_receiver({ source: address, credit_window: 0, autoaccept: false, rcv_settle_mode: 1 });
}

async function next(receiver: Receiver): Promise<EventContext> {
  const [context] = (await once(receiver, "message")) as [EventContext];
  return context;
}

test("credit that comes with the attach is served after the attach", async () => {
  await under.client.createSender("early").sendMessages({ body: 1, messageId: "m" });
  const receiver = receiveFrom("early");
  receiver.add_credit(1);
  expect((await next(receiver)).message?.["message_id"]).toBe("m");
});

test("a drain is answered when the credit is used up already", async () => {
  await under.client.createSender("drained").sendMessages({ body: 1 });
  const receiver = receiveFrom("drained");
  receiver.add_credit(1);
  await next(receiver);
  receiver.drain_credit();
  await once(receiver, "receiver_drained", { signal: AbortSignal.timeout(2000) });
});

test("more credit than the session's buffer holds is served as room comes back", async () => {
  const sender = under.client.createSender("early");
  const count = 2100;
  for (let sent = 0; sent < count; sent += 700)
    await sender.sendMessages(Array.from({ length: 700 }, () => ({ body: 1 })));
  const deliveries: EventContext[] = [];
  const receiver = receiveFrom("early");
  receiver.on("message", (context: EventContext) => deliveries.push(context));
  receiver.add_credit(count);
  await expect.poll(() => deliveries.length, { timeout: 3000 }).toBe(2048);
  for (const { delivery } of deliveries.slice()) delivery?.accept();
  await expect.poll(() => deliveries.length, { timeout: 3000 }).toBe(count);
});

test("a released message comes again uncounted, a modified one counted", async () => {
  await under.client.createSender("released").sendMessages({ body: 1 });
  const receiver = receiveFrom("released");
  receiver.add_credit(3);
  (await next(receiver)).delivery?.release();
  const second = await next(receiver);
  expect(second.message?.["delivery_count"]).toBe(0);
  second.delivery?.release({ delivery_failed: true });
  expect((await next(receiver)).message?.["delivery_count"]).toBe(1);
});

test("a message sent settled is stored", async () => {
  const session = connection.create_session();
  session.begin();
  const sender = session.open_sender({ target: "settled", snd_settle_mode: 1 });
  await once(sender, "sendable");
  sender.send({ body: "fire and forget", message_id: "f" });
  await expect
    .poll(async () => (await under.client.createReceiver("settled").peekMessages(1)).map(({ messageId }) => messageId))
    .toEqual(["f"]);
});

test("bytes that are no message are rejected, and the link lives on", async () => {
  const session = connection.create_session();
  session.begin();
  const sender = session.open_sender("settled");
  await once(sender, "sendable");
  sender.send(Buffer.from("nonsense"), undefined, 0);
  await once(sender, "rejected");
  sender.send({ body: "good", message_id: "g" });
  await once(sender, "accepted");
});

test("what SDKs in other languages do: their own mechanism, claims without an address to reply to, entities as URLs", async () => {
  const offers: string[] = [];
  const mechanism = {
    start(done: (fault: null, response: string) => void) {
      offers.push("MSSBCBS");
      done(null, "");
    },
  };
  const other = rhea.create_container().connect({
    host: "127.0.0.1",
    port: under.bus.port,
    reconnect: false,
    sasl_mechanisms: { MSSBCBS: () => mechanism },
  } as unknown as Parameters<ReturnType<typeof rhea.create_container>["connect"]>[0]);
  await once(other, "connection_open");
  expect(offers).toEqual(["MSSBCBS"]);

  const claims = other.open_sender("$cbs");
  const answers = other.open_receiver("$cbs");
  await Promise.all([once(claims, "sendable"), once(answers, "receiver_open")]);
  claims.send({ message_id: 0, application_properties: { operation: "put-token" }, body: "no token" });
  const answer = await next(answers);
  expect(answer.message?.correlation_id).toBe(0);
  expect(answer.message?.application_properties?.["status-code"]).toBe(401);

  const sender = other.open_sender("amqps://example.servicebus.windows.net/early");
  await once(sender, "sendable");
  sender.send({ body: 1, message_id: "by URL" });
  await once(sender, "accepted");
  other.close();
});
