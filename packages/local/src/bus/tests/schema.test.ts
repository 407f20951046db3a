import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import rhea from "rhea";
import { afterAll, expect, test } from "vitest";
import { NO_TOPICS } from "../entities/entity-path.ts";
import { startBus } from "../start.ts";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
afterAll(() => under.destroy());

/** As the bus made it first. */
const FIRST = `
CREATE TABLE queue (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, properties TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, next_sequence INTEGER NOT NULL);
CREATE TABLE message (
  id INTEGER PRIMARY KEY, dead INTEGER NOT NULL, state INTEGER NOT NULL, delivery_count INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL, ttl INTEGER, expires_at INTEGER, due_at INTEGER NOT NULL, session TEXT, bytes BLOB NOT NULL);
INSERT INTO queue VALUES (1, 'orders', '{}', 0, 0, 10001);`;

test("messages of an earlier version are kept, and entities are made beside them", async () => {
  mkdirSync(under.folder, { recursive: true });
  const before = new DatabaseSync(join(under.folder, "bus.sqlite"));
  before.exec(FIRST);
  const bytes = rhea.message.encode({ message_id: "old", body: "kept" });
  before
    .prepare("INSERT INTO message VALUES (?, 0, 0, 2, ?, NULL, NULL, 0, NULL, ?)")
    .run(2 ** 40 + 7, Date.now(), bytes);
  before.close();
  await under.start([{ name: "events", properties: {} }]);
  const receiver = under.client.createReceiver("orders");
  const message = await receiveOne(receiver);
  expect(message).toMatchObject({ body: "kept", messageId: "old", deliveryCount: 2, enqueuedSequenceNumber: 7 });
  expect(message.sequenceNumber?.toNumber()).toBe(7);
  await receiver.completeMessage(message);
  await under.client.createSender("events").sendMessages({ body: "new" });
  expect((await receiveOne(under.client.createReceiver("events"))).body).toBe("new");
});

test("topics of an earlier version are refused by name", async () => {
  const data = join(under.folder, "topics");
  mkdirSync(data);
  const before = new DatabaseSync(join(data, "bus.sqlite"));
  before.exec(
    `${FIRST} ALTER TABLE queue ADD COLUMN kind TEXT NOT NULL DEFAULT 'queue'; UPDATE queue SET kind = 'topic';`,
  );
  before.close();
  await expect(startBus({ port: 0, adminPort: 0, data })).rejects.toThrow(`${NO_TOPICS} Its data has the topic orders`);
});
