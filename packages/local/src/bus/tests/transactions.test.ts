import { once } from "node:events";
import rhea, { type Typed } from "rhea";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { types } from "../rhea-internals.ts";
import { BusUnderTest, receiveNow, receiveOne } from "./bus-under-test.ts";
import { DETACH, DISPOSITION, frame, RawClient, TRANSFER } from "./raw-client.ts";

// The JavaScript SDK has no transactions: these are the frames that .NET's and Java's clients send.
const under = new BusUnderTest();
const NAMES = ["commit", "rollback", "both", "other", "expire", "left", "settle", "schedule", "told"];
beforeAll(() =>
  under.start([
    ...NAMES.map((name) => ({ name, properties: name === "expire" ? { lockDuration: "PT2S" } : {} })),
    { name: "forwards", properties: { forwardTo: "other" } },
  ]),
);
afterAll(() => under.destroy());

const COORDINATOR = 7;
const ACCEPTED = described(0x24, []);
let client: RawClient;
let deliveries = 0;
beforeEach(async () => {
  client = await RawClient.connect(under.bus.port);
  deliveries = 0;
});
afterEach(() => client.socket.destroy());

function described(code: number, fields: readonly unknown[]): Typed {
  return types.described(types.wrap_ulong(code), types.wrap_list(fields));
}

function within(id: Buffer, outcome?: Typed): Typed {
  return described(0x34, outcome ? [id, outcome] : [id]);
}

/** Sends, and gives the outcome: its fields without their descriptors. */
async function transfer(handle: number, payload: Buffer, state?: Typed): Promise<unknown> {
  client.transfer(deliveries++, payload, [null, false, null, ...(state ? [state] : [])], handle);
  return (await client.next(DISPOSITION)).fields[4];
}

async function declare(): Promise<Buffer> {
  await client.attachTo(described(0x30, []), "coordinator", COORDINATOR);
  return declareAnother();
}

async function declareAnother(): Promise<Buffer> {
  const [id] = (await transfer(COORDINATOR, value(described(0x31, [])))) as [Buffer];
  expect(id).toHaveLength(16);
  return id;
}

function discharge(id: Buffer, isFailed: boolean): Promise<unknown> {
  return transfer(COORDINATOR, value(described(0x32, [id, isFailed])));
}

function value(content: Typed): Buffer {
  const writer = new types.Writer();
  writer.write(content);
  return Buffer.concat([Buffer.from([0x00, 0x53, 0x77]), writer.toBuffer()]);
}

const message = (body: string, more = {}) => rhea.message.encode({ body, ...more });
const bodies = async (queue: string) => (await receiveNow(under.client.createReceiver(queue))).map(({ body }) => body);

/** Asks for the outcome of the delivery that was received first, and gives the broker's answer. */
async function settle(state: Typed, delivery = 0): Promise<unknown> {
  const id = types.wrap_uint(delivery);
  client.send(frame(DISPOSITION, [true, id, id, false, state]));
  return (await client.next(DISPOSITION)).fields[4];
}

test("what is sent in a transaction is there when it is committed, and not before", async () => {
  const id = await declare();
  await client.attachSender("commit");
  expect(await transfer(0, message("one"), within(id))).toEqual([id, []]);
  expect(await transfer(0, message("two"), within(id))).toEqual([id, []]);
  expect(await transfer(0, message("outside"))).toEqual([]);
  expect(await bodies("commit")).toEqual(["outside"]);
  expect(await discharge(id, false)).toEqual([]);
  expect(await bodies("commit")).toEqual(["one", "two"]);
});

test("what is sent in a transaction that is rolled back never comes", async () => {
  const id = await declare();
  await client.attachSender("rollback");
  await transfer(0, message("one"), within(id));
  expect(await discharge(id, true)).toEqual([]);
  expect(await bodies("rollback")).toEqual([]);
  expect(await transfer(0, message("late"), within(id))).toEqual([["amqp:transaction:unknown-id", expect.any(String)]]);
  expect(await discharge(id, false)).toEqual([["amqp:transaction:unknown-id", expect.any(String)]]);
});

test("a message is settled and others are sent, over entities, in one", async () => {
  await under.client.createSender("both").sendMessages({ body: "in" });
  const id = await declare();
  await client.attachSender("other", "to-other");
  client.attachReceiver("both");
  await client.next(TRANSFER);
  expect(await settle(within(id, ACCEPTED))).toEqual([id, []]);
  await transfer(0, message("out"), within(id));
  await client.attachTo(described(0x29, ["told"]), "to-told", 2);
  await transfer(2, message("told"), within(id));
  await client.attachTo(described(0x29, ["forwards"]), "to-forwards", 3);
  await transfer(3, message("forwarded"), within(id));
  const peeking = under.client.createReceiver("both");
  expect(await peeking.peekMessages(1)).toMatchObject([{ body: "in" }]);
  const { commits } = await under.get<{ commits: number }>("/$counts");
  expect(await discharge(id, false)).toEqual([]);
  expect(await under.get("/$counts")).toMatchObject({ commits: commits + 1 });
  expect(await under.client.createReceiver("both").peekMessages(1)).toEqual([]);
  expect(await bodies("other")).toEqual(["out", "forwarded"]);
  expect((await receiveOne(under.client.createReceiver("told"))).body).toBe("told");
});

test.each<readonly [what: string, outcome: Typed, check: (queue: string) => Promise<void>]>([
  [
    "dead-lettered",
    described(0x25, [described(0x1d, [types.wrap_symbol("com.microsoft:dead-letter")])]),
    async (queue) => {
      const buried = under.client.createReceiver(queue, {
        subQueueType: "deadLetter",
        receiveMode: "receiveAndDelete",
      });
      expect((await receiveOne(buried)).body).toBe("m");
    },
  ],
  [
    "deferred",
    described(0x27, [null, true]),
    async (queue) => {
      const receiver = under.client.createReceiver(queue);
      const [deferred] = await receiver.peekMessages(1);
      expect(deferred?.state).toBe("deferred");
      if (!deferred?.sequenceNumber) throw new Error("A peeked message has a sequence number");
      const [held] = await receiver.receiveDeferredMessages(deferred.sequenceNumber);
      if (held) await receiver.completeMessage(held);
    },
  ],
  [
    "abandoned",
    described(0x27, [true, false]),
    async (queue) => {
      const receiver = under.client.createReceiver(queue, { receiveMode: "receiveAndDelete" });
      expect(await receiveOne(receiver)).toMatchObject({ body: "m", deliveryCount: 1 });
    },
  ],
])("a message is %s in a transaction", async (_what, outcome, check) => {
  await under.client.createSender("settle").sendMessages({ body: "m" });
  const id = await declare();
  client.attachReceiver("settle");
  await client.next(TRANSFER);
  expect(await settle(within(id, outcome))).toEqual([id, []]);
  client.send(frame(DETACH, [types.wrap_uint(1), true]));
  expect(await discharge(id, false)).toEqual([]);
  await check("settle");
});

test("a transaction whose lock has expired is rolled back whole", async () => {
  await under.client.createSender("expire").sendMessages({ body: "slow" });
  const id = await declare();
  await client.attachSender("other", "to-other");
  client.attachReceiver("expire");
  await client.next(TRANSFER);
  await settle(within(id, ACCEPTED));
  await transfer(0, message("never"), within(id));
  await new Promise((resolve) => setTimeout(resolve, 2200));
  expect(await discharge(id, false)).toEqual([["amqp:transaction:rollback", expect.stringMatching(/expired/)]]);
  expect(await bodies("other")).toEqual([]);
  client.socket.destroy();
  expect((await receiveOne(under.client.createReceiver("expire"))).body).toBe("slow");
});

test("who holds a message in a transaction cannot settle it outside, until the transaction is rolled back", async () => {
  await under.client.createSender("left").sendMessages({ body: "held" });
  const id = await declare();
  client.attachReceiver("left");
  const { fields } = await client.next(TRANSFER);
  await settle(within(id, ACCEPTED));
  const other = await declareAnother();
  const receiver = under.client.createReceiver("left");
  const complete = async () => {
    const connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
    connection.on("disconnected", () => {});
    const [requests, answers] = [
      connection.open_sender("left/$management"),
      connection.open_receiver("left/$management"),
    ];
    const token = Buffer.from(fields[2] as Buffer);
    for (const [start, end] of [
      [0, 4],
      [4, 6],
      [6, 8],
    ])
      token.subarray(start, end).reverse();
    const body = { "disposition-status": "completed", "lock-tokens": rhea.types.wrap_array([token], 0x98, undefined) };
    const answered = new Promise<number>((resolve) => {
      answers.on("message", ({ message: answer }) => resolve(answer?.application_properties?.["statusCode"]));
    });
    requests.once("sendable", () =>
      requests.send({ message_id: 1, application_properties: { operation: "com.microsoft:update-disposition" }, body }),
    );
    const status = await answered;
    connection.close();
    return status;
  };
  expect(await complete()).toBe(410);
  expect(await discharge(other, false)).toEqual([]);
  // The controller's link goes, and with it what it did not discharge.
  client.send(frame(DETACH, [types.wrap_uint(COORDINATOR), true]));
  await client.next(DETACH);
  expect(await complete()).toBe(200);
  expect(await receiver.peekMessages(1)).toEqual([]);
});

test("a message is scheduled in a transaction: its number is known at once, the message at the end", async () => {
  const id = await declare();
  await client.attachSender("schedule/$management");
  const scheduled = message("later", {
    message_annotations: { "x-opt-scheduled-enqueue-time": new Date(Date.now() + 60_000) },
  });
  const request = (operation: string, body: object) =>
    rhea.message.encode({ message_id: "1", reply_to: "nobody", application_properties: { operation }, body });
  const schedule = request("com.microsoft:schedule-message", { messages: [{ message: scheduled }] });
  expect(await transfer(0, schedule, within(id))).toEqual([id, []]);
  const peeking = under.client.createReceiver("schedule");
  expect(await peeking.peekMessages(1)).toEqual([]);
  await discharge(id, false);
  expect(await under.client.createReceiver("schedule").peekMessages(1)).toMatchObject([{ body: "later" }]);
});

test("a message that is sent by way of one entity arrives at its destination", async () => {
  const connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
  connection.on("disconnected", () => {});
  const properties = { "com.microsoft:transfer-destination-address": "sb://localhost/other" };
  const sender = connection.open_sender({ target: "commit", properties });
  await once(sender, "sendable");
  sender.send({ body: "by way" });
  await once(sender, "accepted");
  expect(sender.properties).toEqual(properties);
  connection.close();
  expect(await bodies("other")).toEqual(["by way"]);
});

test("nonsense on the coordinator's link is rejected, and a transactional state without an outcome ends the connection", async () => {
  const id = await declare();
  for (const payload of [message("hello"), value(described(0x32, [])), Buffer.from([0x00, 0x53, 0x77, 0x40])]) {
    expect(await transfer(COORDINATOR, payload)).toEqual([["amqp:decode-error", expect.any(String)]]);
  }
  await under.client.createSender("left").sendMessages({ body: 1 });
  client.attachReceiver("left");
  await client.next(TRANSFER);
  const one = types.wrap_uint(0);
  client.send(frame(DISPOSITION, [true, one, one, false, within(id)]));
  expect((await client.closed())[0]).toBe("amqp:invalid-field");
});
