// What the JavaScript SDK makes of the types of application properties when it sends a received message again: it reads them as JavaScript's
// values and writes each value's own type. The broker keeps the bytes of both messages as they came.
import { once } from "node:events";
import rhea, { type Connection, type Typed } from "rhea";
import { afterAll, beforeAll, expect, test } from "vitest";
import { types } from "../rhea-internals.ts";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
let connection: Connection;
beforeAll(async () => {
  await under.start(["first", "second"].map((name) => ({ name, properties: {} })));
  connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
  connection.on("disconnected", () => {});
  await once(connection, "connection_open");
});
afterAll(async () => {
  connection.close();
  await under.destroy();
});

interface Row {
  readonly name: string;
  readonly value: Typed | string | boolean | null;
  /** The type's code as another client writes it, and as the SDK does. */
  readonly sent: number;
  readonly again: number;
}

const BINARY = 0xa0;
const SMALL_UINT = 0x52;
const DOUBLE = 0x82;
const large = Buffer.from("7fffffffffffffff", "hex");

const KEPT: readonly Row[] = [
  { name: "text", value: "a", sent: 0xa1, again: 0xa1 },
  { name: "true", value: true, sent: 0x41, again: 0x41 },
  { name: "null", value: null, sent: 0x40, again: 0x40 },
  { name: "double", value: types.wrap_double(1.5), sent: DOUBLE, again: DOUBLE },
  { name: "negative int", value: types.wrap_int(-5), sent: 0x54, again: 0x54 },
  { name: "timestamp", value: types.wrap_timestamp(1), sent: 0x83, again: 0x83 },
];
const CHANGED: readonly Row[] = [
  { name: "uuid", value: types.wrap_uuid(Buffer.alloc(16, 7)), sent: 0x98, again: BINARY },
  { name: "float", value: rhea.types.wrap_float(1.5), sent: 0x72, again: DOUBLE },
  { name: "int", value: types.wrap_int(5), sent: 0x54, again: SMALL_UINT },
  { name: "long", value: types.wrap_long(5), sent: 0x55, again: SMALL_UINT },
  { name: "long beyond 2^53", value: types.wrap_long(large), sent: 0x81, again: BINARY },
  { name: "symbol", value: types.wrap_symbol("s"), sent: 0xa3, again: 0xa1 },
];
const ROWS = [...KEPT, ...CHANGED];

/** The code that stands behind a property's name in the message's bytes. */
async function codesIn(queue: string): Promise<Record<string, number | undefined>> {
  const [requests, answers] = [
    connection.open_sender(`${queue}/$management`),
    connection.open_receiver(`${queue}/$management`),
  ];
  await Promise.all([once(requests, "sendable"), once(answers, "receiver_open")]);
  const operation = "com.microsoft:peek-message";
  const body = { "from-sequence-number": types.wrap_long(0), "message-count": types.wrap_int(1) };
  requests.send({ message_id: queue, application_properties: { operation }, body });
  const [answer] = (await once(answers, "message")) as { message: { body: { messages: { message: Buffer }[] } } }[];
  const bytes = answer?.message.body.messages[0]?.message ?? Buffer.alloc(0);
  const codeOf = (name: string) =>
    bytes[bytes.indexOf(Buffer.from(`${String.fromCharCode(name.length)}${name}`)) + name.length + 1];
  return Object.fromEntries(ROWS.map(({ name }) => [name, codeOf(name)]));
}

test("properties that JavaScript has no type for are sent again as another type", async () => {
  const sender = connection.open_sender("first");
  await once(sender, "sendable");
  const properties = Object.fromEntries(ROWS.map(({ name, value }) => [name, value]));
  sender.send({ body: "x", application_properties: properties } as never);
  await once(sender, "accepted");
  expect(await codesIn("first")).toEqual(Object.fromEntries(ROWS.map(({ name, sent }) => [name, sent])));

  const receiver = under.client.createReceiver("first", { skipConvertingDate: true });
  const received = await receiveOne(receiver);
  await under.client.createSender("second").sendMessages(received);
  expect(await codesIn("second")).toEqual(Object.fromEntries(ROWS.map(({ name, again }) => [name, again])));
});
