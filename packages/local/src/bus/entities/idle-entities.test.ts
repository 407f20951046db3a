// `autoDeleteOnIdle`: what nobody used for so long is deleted, and each kind of use puts it off.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Broker } from "../broker.ts";
import { readIncoming } from "../encoded/encoded-message.ts";
import { Store } from "../queue/store.ts";
import { messages } from "../rhea-internals.ts";
import { declare } from "./declare.ts";
import { IdleEntities } from "./idle-entities.ts";

const MINUTE_MS = 60_000;
const IDLE = { autoDeleteOnIdle: "PT5M" };
let now: number;
let store: Store;
let broker: Broker;
let idle: IdleEntities;

beforeEach(async () => {
  now = 1_000_000;
  store = new Store(":memory:", "normal");
  broker = new Broker(store, () => now);
  const queues = [
    { name: "short", properties: IDLE },
    { name: "to-short", properties: { forwardTo: "short" } },
    { name: "kept", properties: {} },
  ];
  await declare(broker.catalog, { queues });
  idle = new IdleEntities(broker.catalog, () => now);
});
afterEach(() => {
  broker.close();
  store.close();
});

const queueOf = (path: string) => {
  const queue = broker.find(path);
  if (!queue) throw new Error(`${path} is not there`);
  return queue;
};
const after = (minutes: number, open: readonly string[] = []) => {
  now += minutes * MINUTE_MS;
  return idle.sweep(open.map(queueOf));
};
const message = (more: object = {}) => readIncoming(messages.encode({ body: 1, ...more }), () => "id");

test("an entity that nobody uses is deleted after its time, and one without such a time is not", async () => {
  expect(await after(4.9)).toEqual([]);
  expect(await after(0.2)).toEqual(["short"]);
  expect(["short", "kept"].map((path) => broker.find(path) !== undefined)).toEqual([false, true]);
});

test.each<[string, () => unknown]>([
  ["an attached client", () => undefined],
  ["a client of its dead letters", () => idle.use(queueOf("short/$DeadLetterQueue"))],
  ["a forwarded message", () => queueOf("to-short").send([message()])],
  ["a change", () => broker.catalog.put({ path: "short", properties: { ...IDLE, maxDeliveryCount: 3 } })],
])("%s puts it off", async (what, use) => {
  await after(1);
  await after(3);
  await use();
  await after(0, what === "an attached client" ? ["short"] : []);
  expect(await after(4)).not.toContain("short");
  expect(await after(2)).toContain("short");
});

test("a scheduled message keeps it", async () => {
  const at = new Date(now + 60 * MINUTE_MS);
  await queueOf("short").send([message({ message_annotations: { "x-opt-scheduled-enqueue-time": at } })]);
  expect(await after(20)).not.toContain("short");
});

test("a start counts as use", async () => {
  now += 60 * MINUTE_MS;
  idle = new IdleEntities(broker.catalog, () => now);
  expect(await after(4)).toEqual([]);
});
