import { once } from "node:events";
import rhea, { type Connection } from "rhea";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { types } from "../rhea-internals.ts";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";
import { ATTACH, DETACH, DISPOSITION, frame, RawClient, rawFrame } from "./raw-client.ts";

// What one client does wrong ends its request, its link or its connection, and nothing else.
const under = new BusUnderTest();
const QUEUES = ["orders", "graves", "quiet", "aborted", "odd", "late"].map((name) => ({ name, properties: {} }));
beforeAll(() => under.start(QUEUES));
afterAll(() => under.destroy());

const raw: RawClient[] = [];
/** Whatever happened, another client is served. */
afterEach(async () => {
  for (const client of raw.splice(0)) client.socket.destroy();
  await under.client.createSender("orders").sendMessages({ body: "served" });
  const receiver = under.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
  expect((await receiveOne(receiver)).body).toBe("served");
  await receiver.close();
});

async function connect(open?: readonly unknown[]): Promise<RawClient> {
  const client = await RawClient.connect(under.bus.port, open);
  raw.push(client);
  return client;
}

async function connectRhea(): Promise<Connection> {
  const connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
  connection.on("disconnected", () => {});
  await once(connection, "connection_open");
  return connection;
}

/** The outcome of a delivery: its descriptor stays away, an error's condition and description are what is left. */
async function outcome(client: RawClient): Promise<unknown> {
  const { fields } = await client.next(DISPOSITION);
  return fields[4];
}

test("a token whose signature is not encoded properly is unauthorized", async () => {
  const connection = await connectRhea();
  const [claims, answers] = [connection.open_sender("$cbs"), connection.open_receiver("$cbs")];
  await Promise.all([once(claims, "sendable"), once(answers, "receiver_open")]);
  const body = "SharedAccessSignature sr=x&sig=%ZZ&se=9999999999&skn=RootManageSharedAccessKey";
  claims.send({ message_id: 1, application_properties: { operation: "put-token" }, body });
  const [answer] = (await once(answers, "message")) as { message: { application_properties: unknown } }[];
  expect(answer?.message.application_properties).toMatchObject({ "status-code": 401 });
  connection.close();
});

test("a transfer without a payload is rejected, and the link goes on", async () => {
  const client = await connect();
  await client.attachSender("quiet");
  client.transfer(0);
  expect(await outcome(client)).toEqual([["amqp:decode-error", "The message has no sections"]]);
  client.transfer(1, Buffer.from([0x00, 0x53, 0x77, 0x41]));
  expect(await outcome(client)).toEqual([]);
});

test("nothing can be sent to a dead-letter queue, neither now nor later", async () => {
  const sender = under.client.createSender("graves/$DeadLetterQueue");
  await expect(sender.sendMessages({ body: 1 })).rejects.toThrow(/Nothing can be sent to 'graves/);
  await expect(sender.scheduleMessages({ body: 1 }, new Date(Date.now() + 60_000))).rejects.toThrow(
    /Nothing can be sent/,
  );
  await under.client.createSender("graves").sendMessages({ body: "first" });
  const receiver = under.client.createReceiver("graves");
  await receiver.deadLetterMessage(await receiveOne(receiver));
  const graveyard = under.client.createReceiver("graves", { subQueueType: "deadLetter" });
  expect((await graveyard.peekMessages(5)).map(({ body }) => body)).toEqual(["first"]);
});

test("a disposition over all delivery ids costs nothing", async () => {
  const client = await connect();
  await client.attachSender("quiet");
  const startedAt = Date.now();
  for (const role of [true, false]) {
    client.send(frame(DISPOSITION, [role, types.wrap_uint(0), types.wrap_uint(0xffff_ffff), true]));
  }
  client.transfer(0, Buffer.from([0x00, 0x53, 0x77, 0x41]));
  await outcome(client);
  expect(Date.now() - startedAt).toBeLessThan(2000);
});

test.each<readonly [what: string, bytes: Buffer, condition: string]>([
  ["a frame that is too long", Buffer.from([0x7f, 0xff, 0xff, 0xff, 2, 0, 0, 0]), "amqp:connection:framing-error"],
  ["a frame that is too short", Buffer.from([0, 0, 0, 3, 2, 0, 0, 0]), "amqp:connection:framing-error"],
  ["a wrong data offset", Buffer.from([0, 0, 0, 8, 9, 0, 0, 0]), "amqp:connection:framing-error"],
  ["a second protocol header", Buffer.from("AMQP\x00\x01\x00\x00", "latin1"), "amqp:connection:framing-error"],
  [
    "a channel beyond those announced",
    frame(DETACH, [types.wrap_uint(0)]).fill(0xff, 6, 8),
    "amqp:connection:framing-error",
  ],
  ["an array of four thousand million nulls", emptyArray(), "amqp:decode-error"],
  ["lists within lists within lists", nestedLists(20_000), "amqp:decode-error"],
  [
    "a list that claims more items than bytes",
    rawFrame(Buffer.from("005312d0000000041dcd6500", "hex")),
    "amqp:decode-error",
  ],
  ["an unknown performative", frame(0x7f, []), "amqp:decode-error"],
  ["a field of a wrong type", frame(ATTACH, [types.wrap_map({}), types.wrap_uint(0), false]), "amqp:decode-error"],
  ["a transfer on no link", frame(0x14, [types.wrap_uint(9), types.wrap_uint(0)]), "amqp:session:unattached-handle"],
])("%s ends the connection with its reason", async (_what, bytes, condition) => {
  const client = await connect();
  const closed = once(client.socket, "close");
  client.send(bytes);
  expect((await client.closed())[0]).toBe(condition);
  await closed;
});

function emptyArray(): Buffer {
  const array = Buffer.from("f000000005fffffffe40", "hex");
  const list = Buffer.concat([Buffer.from([0x00, 0x53, 0x12, 0xc0, array.length + 1, 1]), array]);
  return rawFrame(list);
}

function nestedLists(depth: number): Buffer {
  const levels = Array.from({ length: depth }, (_, level) => Buffer.from([0xc0, 0xff - (level % 2), 1]));
  return rawFrame(Buffer.concat([Buffer.from([0x00, 0x53, 0x12]), ...levels]));
}

test.each<readonly [what: string, open: readonly unknown[], field: string]>([
  ["frames that nothing fits into", ["raw", null, types.wrap_uint(40)], "max-frame-size"],
  ["a heartbeat each millisecond", ["raw", null, null, null, types.wrap_uint(1)], "idle-time-out"],
])("a client that announces %s is refused", async (_what, open, field) => {
  const client = await connect(open);
  expect(await client.closed()).toEqual(["amqp:invalid-field", expect.stringContaining(field)]);
});

test("a message is read before it is taken: what another client could not read is rejected", async () => {
  const client = await connect();
  await client.attachSender("odd");
  const bad = {
    "application properties that are a list": "005374c0020140",
    "a key without a value": "005374c103014100",
    "a header whose flags are texts": "005370c00401a10161",
    "properties with a wrong type": "005373c0050341414100",
    "a value that is cut off": "005377a10a61",
    "an unknown section": "00535045",
    "sections out of order": "0053774100537045",
  };
  let delivery = 0;
  for (const [what, hex] of Object.entries(bad)) {
    client.transfer(delivery++, Buffer.from(hex, "hex"));
    expect(await outcome(client), what).toEqual([["amqp:decode-error", expect.any(String)]]);
  }
  expect(await under.client.createReceiver("odd").peekMessages(1)).toEqual([]);
});

test("what a client gives up in the middle of a message is not taken", async () => {
  const client = await connect();
  await client.attachSender("aborted");
  const more = [null, true];
  client.transfer(0, Buffer.from([0x00, 0x53]), more);
  client.transfer(0, undefined, [null, false, null, null, null, true]);
  client.transfer(1, Buffer.from([0x00, 0x53, 0x77, 0x41]));
  expect(await outcome(client)).toEqual([]);
  expect((await receiveNow(under.client.createReceiver("aborted"))).length).toBe(1);
});

test("a message of more than a million bytes is rejected at its end, and the link goes on", async () => {
  const client = await connect();
  await client.attachSender("quiet");
  const part = Buffer.alloc(60_000);
  for (let sent = 0; sent < 30; sent += 1) client.transfer(0, part, [null, true]);
  client.transfer(0, part);
  expect(await outcome(client)).toEqual([["amqp:link:message-size-exceeded", expect.any(String)]]);
  client.transfer(1, Buffer.from([0x00, 0x53, 0x77, 0x41]));
  expect(await outcome(client)).toEqual([]);
});

test("a message that never ends closes the link", async () => {
  const client = await connect();
  await client.attachSender("quiet");
  const part = Buffer.alloc(64_000);
  for (let sent = 0; sent < 1700; sent += 1) client.transfer(0, part, [null, true]);
  const { fields } = await client.next(DETACH);
  expect(fields[2]).toEqual(["amqp:link:message-size-exceeded", expect.any(String)]);
});

test("a request that cannot be answered ends alone", async () => {
  const connection = await connectRhea();
  const [requests, answers] = [
    connection.open_sender("quiet/$management"),
    connection.open_receiver("quiet/$management"),
  ];
  await Promise.all([once(requests, "sendable"), once(answers, "receiver_open")]);
  // A message id that is true.
  requests.send(Buffer.from("005373c002014100537740", "hex"), undefined, 0);
  await once(requests, "rejected");
  requests.send({ message_id: "m", application_properties: { operation: "com.microsoft:peek-message" }, body: [1] });
  const [answer] = (await once(answers, "message")) as { message: { correlation_id: unknown } }[];
  expect(answer?.message.correlation_id).toBe("m");
  connection.close();
});

test("an operation that is not there is refused by its name", async () => {
  const connection = await connectRhea();
  const [requests, answers] = [
    connection.open_sender("quiet/$management"),
    connection.open_receiver("quiet/$management"),
  ];
  await Promise.all([once(requests, "sendable"), once(answers, "receiver_open")]);
  const operation = "com.microsoft:defragment";
  requests.send({ message_id: "m", application_properties: { operation }, body: {} });
  const [answer] = (await once(answers, "message")) as { message: { application_properties: object } }[];
  expect(answer?.message.application_properties).toMatchObject({
    statusCode: 501,
    statusDescription: expect.stringContaining(operation),
  });
  connection.close();
});

test("a message for an instant that no database keeps survives a restart", async () => {
  const connection = await connectRhea();
  const sender = connection.open_sender("late");
  await once(sender, "sendable");
  const instant = types.wrap_timestamp(Buffer.from("0fffffffffffffff", "hex"));
  sender.send({ body: "late", message_annotations: { "x-opt-scheduled-enqueue-time": instant } } as never);
  await once(sender, "accepted");
  connection.close();
  await under.stop();
  await under.start(QUEUES);
  const [peeked] = await under.client.createReceiver("late").peekMessages(1);
  expect(peeked?.state).toBe("scheduled");
});
