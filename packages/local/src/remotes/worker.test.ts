// A simulated service's worker at its queue: what it replies, and the faults that befall it there.
import { join } from "node:path";
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest } from "../bus/tests/bus-under-test.ts";
import type { RemoteService } from "./definition.ts";
import { FAULT_HEADERS } from "./fault-key.ts";
import { type RunningRemotes, startRemotes } from "./start.ts";

const SERVICES: RemoteService[] = [
  {
    name: "customs",
    resources: [{ path: "/declarations", idPrefix: "cu" }],
    queue: {
      name: "requests",
      asks: ({ key, item }) => ({ path: "/declarations", key: String(key), body: { item } }),
      replies: ({ key }, { status, body: { id, message } }) =>
        status < 300 ? { key, id } : { key, because: String(message) },
    },
  },
];
const QUIET_MS = 700;

const under = new BusUnderTest();
let remotes: RunningRemotes;
let url: string;
const replies: ServiceBusReceivedMessage[] = [];

beforeAll(async () => {
  await under.start([
    { name: "requests", properties: {} },
    { name: "replies", properties: {} },
  ]);
  const bus = under.bus.connectionString;
  remotes = await startRemotes({ services: SERVICES, data: join(under.folder, "remotes"), bus });
  url = remotes.services[0]?.url ?? "";
  under.client.createReceiver("replies").subscribe({
    processMessage: async (message) => void replies.push(message),
    processError: async () => undefined,
  });
});

afterAll(async () => {
  await remotes.close();
  await under.stop();
});

async function request(key: string): Promise<void> {
  const sender = under.client.createSender("requests");
  await sender.sendMessages({ body: { key, item: "shoes" }, messageId: `message-${key}`, replyTo: "replies" });
  await sender.close();
}

const repliesTo = (key: string) => replies.filter(({ body }) => body.key === key);

async function switchOn(fault: object): Promise<() => Promise<void>> {
  const response = await fetch(`${url}/$faults`, {
    method: "POST",
    headers: FAULT_HEADERS,
    body: JSON.stringify(fault),
  });
  const answer = (await response.json()) as { id: string; faults: string[] };
  expect(response.status, JSON.stringify(answer)).toBe(201);
  return async () => void (await fetch(`${url}/$faults/${answer.id}`, { method: "DELETE", headers: FAULT_HEADERS }));
}

async function effectsOf(key: string): Promise<number> {
  const { effects } = (await (await fetch(`${url}/$effects`)).json()) as { effects: { key: string }[] };
  return effects.filter((effect) => effect.key === key).length;
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

test("it replies to each request by its message, and a repeated request has one effect and the same answer", async () => {
  await request("a");
  await request("a");
  await expect.poll(() => repliesTo("a").length).toBe(2);
  expect(repliesTo("a").map(({ correlationId }) => correlationId)).toEqual(["message-a", "message-a"]);
  expect(new Set(repliesTo("a").map(({ body }) => body.id)).size).toBe(1);
  expect(await effectsOf("a")).toBe(1);
});

test.each([
  ["silent at its queue", { kind: "hang", path: "requests" }, 0],
  ["silent in its service", { kind: "hang" }, 0],
  ["a reply that is lost", { kind: "loseReply" }, 1],
])("%s: there is no reply, and %j has %i effects", async (name, fault, effects) => {
  await switchOn({ ...fault, calls: 1 });
  await request(name);
  await expect
    .poll(async () => ((await (await fetch(`${url}/$faults`)).json()) as { faults: object[] }).faults)
    .toEqual([]);
  await quiet();
  expect(repliesTo(name)).toHaveLength(0);
  expect(await effectsOf(name)).toBe(effects);
});

test("doubled, late and rejected", async () => {
  await switchOn({ kind: "double", calls: 1 });
  await request("doubled");
  await expect.poll(() => repliesTo("doubled").length).toBe(2);
  await switchOn({ kind: "slow", path: "requests", delayMs: 1000, calls: 1 });
  const begun = Date.now();
  await request("late");
  await expect.poll(() => repliesTo("late").length).toBe(1);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(1000);
  await switchOn({ kind: "reject", message: "forbidden goods", calls: 1 });
  await request("rejected");
  await expect.poll(() => repliesTo("rejected")[0]?.body.because).toBe("forbidden goods");
});

test("while it is down it takes nothing, and what waited is done when it is back", async () => {
  const lift = await switchOn({ kind: "down", path: "requests" });
  await quiet();
  await request("waits");
  await quiet();
  expect(repliesTo("waits")).toHaveLength(0);
  await lift();
  await expect.poll(() => repliesTo("waits").length).toBe(1);
});

test("a fault that means nothing there is rejected by its name", async () => {
  const post = (fault: object) =>
    fetch(`${url}/$faults`, { method: "POST", headers: FAULT_HEADERS, body: JSON.stringify(fault) });
  const answer = (await (await post({ kind: "reject", path: "requests" })).json()) as { message: string };
  expect(answer.message).toContain("reject means nothing at a queue");
  const services = SERVICES.map(({ queue, ...service }) => service);
  const plain = await startRemotes({ services, data: join(under.folder, "plain") });
  const doubled = await fetch(`${plain.services[0]?.url}/$faults`, {
    method: "POST",
    headers: FAULT_HEADERS,
    body: JSON.stringify({ kind: "double" }),
  });
  await plain.close();
  expect(await doubled.text()).toContain("double is for a service that takes from a queue");
});
