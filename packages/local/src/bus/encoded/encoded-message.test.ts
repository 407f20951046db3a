import rhea from "rhea";
import { expect, test } from "vitest";
import { encodeDelivery } from "./encoded-delivery.ts";
import { checkMessage, readBatch, readIncoming } from "./encoded-message.ts";
import { withProperties } from "./message-changes.ts";

const { message: codec, types } = rhea;
const FACTS = {
  deliveryCount: 2,
  ttlMs: 5000,
  enqueuedAt: 1_760_000_000_123,
  sequence: 2 ** 33 + 7,
  enqueuedSequence: 2 ** 33 + 7,
  state: 0,
  lockedUntil: 1_760_000_060_123,
  deadLetterSource: "orders",
} as const;
const newId = () => "made-up";

test("a delivery has our header and annotations, the sender's annotations, and the other bytes untouched", () => {
  const sent = codec.encode({
    durable: true,
    ttl: 9000,
    first_acquirer: false,
    message_annotations: { "x-opt-partition-key": "p", "x-opt-sequence-number": 1 },
    message_id: "m",
    application_properties: {
      long: types.wrap_long(Buffer.from("7fffffffffffffff", "hex")),
      uuid: types.wrap_uuid(Buffer.alloc(16, 7)),
      symbol: types.wrap_symbol("s"),
    },
    body: rhea.message.data_section(Buffer.from("body")),
  });
  const delivered = encodeDelivery(readIncoming(sent, newId).bytes, FACTS);
  const restOf = (bytes: Buffer) => bytes.subarray(bytes.indexOf(Buffer.from([0x00, 0x53, 0x73])));
  expect(restOf(delivered).equals(restOf(sent))).toBe(true);
  const decoded = codec.decode(delivered);
  expect(decoded).toMatchObject({
    durable: true,
    ttl: 5000,
    first_acquirer: false,
    delivery_count: 2,
    message_id: "m",
  });
  expect(decoded["message_annotations"]).toEqual({
    "x-opt-partition-key": "p",
    "x-opt-enqueued-time": new Date(FACTS.enqueuedAt),
    "x-opt-locked-until": new Date(FACTS.lockedUntil),
    "x-opt-sequence-number": FACTS.sequence,
    "x-opt-enqueue-sequence-number": FACTS.sequence,
    "x-opt-deadletter-source": "orders",
  });
});

test("what the broker must know is read, and a missing id is made up without touching the rest", () => {
  const dueAt = new Date(1_800_000_000_000);
  const base = { body: "b", ttl: 70, message_annotations: { "x-opt-scheduled-enqueue-time": dueAt } };
  const named = readIncoming(codec.encode({ ...base, message_id: "m", group_id: "s" }), newId);
  expect(named).toMatchObject({ sessionId: "s", ttlMs: 70, scheduledFor: dueAt.getTime() });
  const other = readIncoming(codec.encode({ ...base, message_id: 5 }), newId);
  expect(other.messageId).not.toBe(readIncoming(codec.encode({ ...base, message_id: "5" }), newId).messageId);

  const withOthers = codec.encode({ ...base, correlation_id: "c", group_id: "s", application_properties: { a: 1 } });
  const anonymous = codec.decode(readIncoming(withOthers, newId).bytes);
  expect(anonymous).toMatchObject({ message_id: "made-up", correlation_id: "c", group_id: "s", body: "b", ttl: 70 });
  expect(anonymous["application_properties"]).toEqual({ a: 1 });
  const bare = Buffer.from([0x00, 0x53, 0x77, 0x40]);
  expect(codec.decode(readIncoming(bare, newId).bytes)["message_id"]).toBe("made-up");
});

// rhea, and so the JavaScript SDK, writes the footer before the body.
test("a footer before the body is taken, and delivered behind it", () => {
  const body = rhea.message.data_section(Buffer.from("b"));
  const sent = codec.encode({ message_id: "m", footer: { checked: "yes" }, body });
  const { bytes } = readIncoming(sent, newId);
  expect(bytes.indexOf(Buffer.from([0x00, 0x53, 0x78]))).toBeGreaterThan(
    bytes.indexOf(Buffer.from([0x00, 0x53, 0x75])),
  );
  expect(bytes.length).toBe(sent.length);
  expect(codec.decode(bytes)["footer"]).toEqual({ checked: "yes" });
});

test("properties are added and replaced, and the others keep their types", () => {
  const uuid = Buffer.alloc(16, 9);
  const sent = codec.encode({
    message_id: "m",
    application_properties: { uuid: types.wrap_uuid(uuid), old: "1" },
    body: "b",
  });
  const changed = codec.decode(withProperties(sent, { old: "2", fresh: 3 }));
  expect(changed["application_properties"]).toEqual({ uuid, old: "2", fresh: 3 });
  expect(withProperties(sent, { old: "2" }).includes(Buffer.concat([Buffer.from([0x98]), uuid]))).toBe(true);
  const without = codec.encode({ message_id: "m", body: "b" });
  expect(codec.decode(withProperties(without, { fresh: true }))).toMatchObject({
    application_properties: { fresh: true },
    body: "b",
    message_id: "m",
  });
});

test("a batch falls into its messages, and bytes that are no message are refused", () => {
  const inner = ["a", "b"].map((body) => codec.encode({ message_id: body, body }));
  const batch = codec.encode({ message_id: "batch", body: rhea.message.data_sections(inner) });
  expect(readBatch(batch).map((bytes) => codec.decode(bytes)["body"])).toEqual(["a", "b"]);
  for (const bytes of [Buffer.from("GET /"), Buffer.from([0x00, 0x53, 0x70, 0xd0, 0, 0, 1, 0])]) {
    expect(() => readIncoming(bytes, newId)).toThrow(RangeError);
  }
});

/** A value of each AMQP type that a property can have, as it is encoded. */
const TYPED: Readonly<Record<string, string>> = {
  null: "40",
  true: "41",
  boolean: "5600",
  ubyte: "50ff",
  ushort: "60ffff",
  uint: "70fffffff0",
  uint0: "43",
  smallUint: "5207",
  ulong: "80ffffffffffffffff",
  ulong0: "44",
  smallUlong: "5307",
  byte: "5180",
  short: "618000",
  int: "7180000000",
  smallInt: "54ff",
  long: "818000000000000001",
  smallLong: "55ff",
  float: "7240490fdb",
  double: "82400921fb54442d18",
  decimal32: "7422500001",
  decimal64: "842238000000000001",
  decimal128: "9430400000000000000000000000000001",
  char: "730001f600",
  timestamp: "830000018bcfe56800",
  uuid: "98000102030405060708090a0b0c0d0e0f",
  binary: "a003010203",
  string: "a1026162",
  longString: "b1000000026162",
  symbol: "a3026162",
};

test("properties keep their types, whatever else of the message is changed", () => {
  const pairs = Object.entries(TYPED).map(([name, value]) =>
    Buffer.concat([Buffer.from([0xa1, name.length]), Buffer.from(name), Buffer.from(value, "hex")]),
  );
  const content = Buffer.concat(pairs);
  const head = Buffer.alloc(12);
  head.set([0x00, 0x53, 0x74, 0xd1]);
  head.writeUInt32BE(4 + content.length, 4);
  head.writeUInt32BE(pairs.length * 2, 8);
  const bytes = Buffer.concat([head, content, Buffer.from("005377a10162", "hex")]);
  checkMessage(bytes);
  const changed = [
    withProperties(bytes, { DeadLetterReason: "why" }),
    withProperties(withProperties(bytes, { other: 1 }), { other: 2 }),
  ];
  for (const each of changed) {
    checkMessage(each);
    for (const pair of pairs) expect(each.includes(pair), pair.toString("latin1")).toBe(true);
  }
});
