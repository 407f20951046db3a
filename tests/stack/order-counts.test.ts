// What one order takes, counted: docs/reference/sizing.md, from which docs/reference/cost.md was computed, says the same.
// In the flex topology, as in Azure: a process that has not written a record itself has to read it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CosmosClient } from "@azure/cosmos";
import { ServiceBusClient } from "@azure/service-bus";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { afterAll, beforeAll, expect, test } from "vitest";
import { record, type Services, workThrough } from "../../bench/order-requests.ts";
import { REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { THREE_STEPS } from "../support/orders.ts";
import { NEVER, startTestStack, type TestStack, UNCOUNTED } from "../support/test-stack.ts";

const START_WITHIN_MS = 240_000;

type Counts = Record<string, number>;

interface CountsOfStack {
  readonly store: Counts;
  readonly bus: Counts;
  readonly host: Counts;
}

const data = mkdtempSync(join(tmpdir(), "counts-"));
let app: TestStack;
beforeAll(async () => {
  const appSettings = {
    ...UNCOUNTED,
    // Sweeps cost the same without an order.
    SupervisorSchedule: NEVER,
    OTEL_BSP_SCHEDULE_DELAY: "200",
  };
  app = await startTestStack({ data, parts: PART_NAMES, appSettings, topology: "flex" });
}, START_WITHIN_MS);
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  rmSync(data, { recursive: true, force: true });
});

const order = (orderId: string, workflow = "order-fulfilment") => ({ ...madeOrder(orderId), workflow });

/** By what is received alone: looking at the record would cost the store something too. */
async function ended(orderId: string): Promise<void> {
  await expect.poll(() => app.statuses(orderId).at(-1)?.subject).toBe("Completed");
}

/** Once nothing more comes: after an order's last status its messages are still completed and its record is still written. */
async function counts(): Promise<CountsOfStack> {
  let last = await countsNow();
  await expect
    .poll(
      async () => {
        const before = last;
        last = await countsNow();
        return isDeepStrictEqual(last, before);
      },
      { interval: 500 },
    )
    .toBe(true);
  return last;
}

async function countsNow(): Promise<CountsOfStack> {
  const { bus, cosmos, host } = app.stack.addresses;
  const read = async (url: string) => (await (await fetch(url)).json()) as Counts;
  return {
    store: await read(new URL("/$counts", cosmos?.endpoint).href),
    bus: await read(`http://127.0.0.1:${bus?.adminPort}/$counts`),
    host: await read(`${host?.url}/admin/counts`),
  };
}

function spansOf(orderId: string): number {
  const reader = openTraces(join(data, "traces"));
  try {
    return reader?.tracesWith("jobId", orderId).flatMap(({ spans }) => spans).length ?? 0;
  } finally {
    reader?.close();
  }
}

function eventsOf(orderId: string): number {
  const reader = openTraces(join(data, "traces"));
  try {
    const names = [...(reader?.eventNames().keys() ?? [])];
    const all = names.flatMap((name) => reader?.eventsNamed(name) ?? []);
    return all.filter(({ attributes }) => attributes["jobId"] === orderId).length;
  } finally {
    reader?.close();
  }
}

/** A row of the page's last table. @throws if it has none of that name */
function takenByPage(what: string): number {
  const page = readFileSync(join(ROOT, "docs/reference/sizing.md"), "utf8");
  const row = page.split("\n").find((line) => line.startsWith(`| ${what} |`));
  const count = Number(row?.split("|")[2]);
  if (!(count > 0)) throw new Error(`docs/reference/sizing.md has no number of ${what}`);
  return count;
}

test("one order takes what docs/reference/sizing.md says", async () => {
  // The first order of a process also opens its connections.
  await app.shop.send(order("counts-before"));
  await ended("counts-before");
  const before = await counts();
  await app.shop.send(order("counts-1"));
  await ended("counts-1");
  const after = await counts();
  const spent = (part: keyof typeof after, name: string) => (after[part][name] ?? 0) - (before[part][name] ?? 0);
  const storeRequests = ["batch", "patch", "replace", "read"].reduce((sum, kind) => sum + spent("store", kind), 0);
  expect({
    busSends: spent("bus", "sends"),
    busDeliveries: spent("bus", "deliveries"),
    busCompletions: spent("bus", "completes"),
    activities: spent("host", "durable.activities"),
  }).toEqual({
    busSends: takenByPage("messages sent to the bus"),
    busDeliveries: takenByPage("messages delivered, to the app and the client"),
    busCompletions: takenByPage("messages completed"),
    activities: takenByPage("activities"),
  });
  // One fewer where the reply over the queue comes last: it has read that the step beside it is done.
  expect([0, 1]).toContain(takenByPage("requests of the store") - storeRequests);
  // A model of what Azure charges, by the size of documents: these differ a little from order to order.
  const ofUnits = spent("store", "requestChargeModelled") / takenByPage("request units");
  expect(Math.abs(ofUnits - 1)).toBeLessThan(0.1);
  await expect.poll(() => spansOf("counts-1")).toBe(takenByPage("spans of the app"));
  await expect.poll(() => eventsOf("counts-1")).toBe(takenByPage("events"));
});

/** What an order cost, once nothing more comes of it. */
async function costOf(work: () => Promise<void>): Promise<Counts> {
  const before = await counts();
  await work();
  const after = await counts();
  const spent = (part: keyof typeof after, name: string) => (after[part][name] ?? 0) - (before[part][name] ?? 0);
  return {
    batches: spent("store", "batch"),
    patches: spent("store", "patch"),
    sends: spent("bus", "sends"),
    activities: spent("host", "durable.activities"),
  };
}

async function processed(orderId: string, { name }: Workflow): Promise<void> {
  await app.shop.send(order(orderId, name));
  await ended(orderId);
}

test("three steps, one after the other, take one activity", async () => {
  const three = await costOf(() => processed("three-1", THREE_STEPS));
  expect(three).toMatchObject({ batches: 1, patches: 4, activities: 1 });
});

test("the benchmark's floor makes the requests of such an order, without the shop's own message", async () => {
  const { bus, cosmos, remotes } = app.stack.addresses;
  const client = new CosmosClient({ connectionString: cosmos?.connectionString ?? "" });
  const messages = new ServiceBusClient(bus?.connectionString ?? "");
  const services: Services = {
    container: client.database("jobs").container("jobs"),
    replies: messages.createSender(REPLY_QUEUE),
    remotes: ["inventory", "payment", "shipping"].map((name) => remotes[name] ?? ""),
  };
  const floor = await costOf(async () => {
    await record(services, "floor-1");
    await workThrough(services, "floor-1", "all");
  });
  await messages.close();
  const own = await costOf(() => processed("floor-2", THREE_STEPS));
  expect(floor).toEqual({ ...own, sends: (own["sends"] ?? 0) - 1, activities: 0 });
});
