import { once } from "node:events";
import rhea, { type Connection, type EventContext, type Receiver } from "rhea";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";
import { DETACH, frame, RawClient, TRANSFER } from "./raw-client.ts";

// What another AMQP 1.0 client may do, and the SDK does only when things cross on the wire.
const under = new BusUnderTest();
let connection: Connection;

beforeAll(async () => {
  const plain = ["early", "drained", "released", "settled", "twice", "deferred"].map((name) => ({
    name,
    properties: {},
  }));
  await under.start([...plain, { name: "grouped", properties: { requiresSession: true } }]);
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
  await expect.poll(() => deliveries.length).toBe(2048);
  for (const { delivery } of deliveries.slice()) delivery?.accept();
  await expect.poll(() => deliveries.length).toBe(count);
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

// Service Bus's AMQP guide: SASL PLAIN, with the name of the key and the key, is for clients that know no `$cbs`.
test("the key is the user and the password of SASL PLAIN", async () => {
  const connect = (password: string) => {
    const { port } = under.bus;
    const user = { username: "RootManageSharedAccessKey", password, reconnect: false as const };
    return rhea.create_container().connect({ host: "127.0.0.1", port, ...user });
  };
  const known = connect("SAS_KEY_VALUE");
  await once(known, "connection_open");
  const sender = known.open_sender("early");
  await once(sender, "sendable");
  known.close();
  const stranger = connect("another");
  stranger.on("disconnected", () => {});
  const [{ error }] = (await once(stranger, "connection_error")) as [EventContext];
  expect(error).toMatchObject({ condition: "amqp:unauthorized-access" });
});

// AMQP 1.0, 2.6.3: by its absence a client that waits for no detach sees at once that nothing is attached.
test("an attach that is refused names no terminus", async () => {
  const sender = connection.open_sender("nowhere");
  const [{ error }] = (await once(sender, "sender_error")) as [{ error: unknown }];
  expect(sender.target).toMatchObject({ value: null });
  expect(error ?? sender.error).toMatchObject({ condition: "amqp:not-found" });
  const receiver = receiveFrom("nowhere");
  await once(receiver, "receiver_error");
  expect(receiver.source).toMatchObject({ value: null });
});

test("links of one name in two directions are two links, and a name is free again once its link is closed", async () => {
  const client = await RawClient.connect(under.bus.port);
  await client.attachSender("twice", "same");
  for (let round = 0; round < 2; round += 1) {
    client.attachReceiver("twice", "same");
    client.transfer(round, rhea.message.encode({ body: round, message_id: `m${round}` }));
    await client.next(TRANSFER);
    client.send(frame(DETACH, [rhea.types.wrap_uint(1), true]));
    await client.next(DETACH);
  }
  client.socket.destroy();
});

test("a session's attach answers the source as it was asked for, with the session as its filter", async () => {
  await under.client.createSender("grouped").sendMessages({ body: 1, sessionId: "s" });
  const filter = { "com.microsoft:session-filter": null };
  const address = "amqps://example.servicebus.windows.net/grouped";
  const receiver = connection.open_receiver({ source: { address, filter }, credit_window: 0 } as never);
  await once(receiver, "receiver_open");
  expect(receiver.source.address).toBe(address);
  expect(receiver.source.filter).toEqual({ "com.microsoft:session-filter": "s" });
  receiver.close();
});

// Python's client has no delivery tag for these, and looks for the lock token among the delivery annotations.
test("a deferred message carries its lock token", async () => {
  await under.client.createSender("deferred").sendMessages({ body: "later" });
  const deferring = under.client.createReceiver("deferred");
  const message = await receiveOne(deferring);
  await deferring.deferMessage(message);
  const [requests, answers] = [
    connection.open_sender("deferred/$management"),
    connection.open_receiver("deferred/$management"),
  ];
  await Promise.all([once(requests, "sendable"), once(answers, "receiver_open")]);
  const sequences = rhea.types.wrap_array([message.sequenceNumber?.toNumber() ?? 0], 0x81, undefined);
  requests.send({
    message_id: "m",
    application_properties: { operation: "com.microsoft:receive-by-sequence-number" },
    body: { "sequence-numbers": sequences, "receiver-settle-mode": 1 },
  });
  const { message: answer } = (await next(answers)) as unknown as {
    message: { body: { messages: { message: Buffer; "lock-token": Buffer }[] } };
  };
  const { messages } = answer.body;
  if (!messages[0]) throw new Error("The deferred message is gone");
  const annotations = rhea.message.decode(messages[0].message)["delivery_annotations"];
  expect(annotations).toEqual({ "x-opt-lock-token": messages[0]["lock-token"] });
  requests.send({
    message_id: "n",
    application_properties: { operation: "com.microsoft:update-disposition" },
    body: {
      "disposition-status": "completed",
      "lock-tokens": rhea.types.wrap_array([annotations?.["x-opt-lock-token"]], 0x98, undefined),
    },
  });
  expect((await next(answers)).message?.application_properties?.["statusCode"]).toBe(200);
  expect(await under.client.createReceiver("deferred").peekMessages(1)).toEqual([]);
});

const SESSION_FILTER = "com.microsoft:session-filter";
/** With a name of its own for each form: a session is held until its link is closed. */
function receiveSession(value: unknown): Receiver {
  const session = connection.create_session();
  session.begin();
  const source = { address: "grouped", filter: { [SESSION_FILTER]: value } };
  return session.open_receiver({ source, credit_window: 0, autoaccept: false });
}
const described = (value: unknown, descriptor: string | number) => rhea.types.wrap_described(value, descriptor);

test.each([
  ["plain", (id: string) => id],
  ["described by its name", (id: string) => described(id, SESSION_FILTER)],
  ["described by a number", (id: string) => described(id, 0x137000000c)],
])("a session filter that is %s selects its session, and comes back as it was sent", async (form, filterOf) => {
  await under.client.createSender("grouped").sendMessages([
    { body: "other", sessionId: `${form} a` },
    { body: "wanted", sessionId: `${form} b` },
  ]);
  const receiver = receiveSession(filterOf(`${form} b`));
  receiver.add_credit(1);
  expect((await next(receiver)).message?.group_id).toBe(`${form} b`);
  const filter = (receiver.source as unknown as { filter: Record<string, unknown> }).filter[SESSION_FILTER];
  expect(form === "plain" ? filter : (filter as { value: unknown }).value).toBe(`${form} b`);
  receiver.close();
  await once(receiver, "receiver_close");
});

test.each([5, true, described(5, SESSION_FILTER)])(
  "a session filter that is neither an id nor null is rejected: %j",
  async (value) => {
    const receiver = receiveSession(value);
    await once(receiver, "receiver_error");
    expect(receiver.error).toMatchObject({ condition: "amqp:invalid-field" });
  },
);
