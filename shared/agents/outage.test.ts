// An outage of one of two real endpoints, over HTTP: the other takes over, a probe finds the end of it, work comes back.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BoundedReply,
  type RoutedAgent,
  type RouteOptions,
  routeAgent,
} from "@scheduler-agent-supervisor/core/agents";
import { FAULT_HEADERS, type RunningRemotes, startRemotes } from "@scheduler-agent-supervisor/local/remotes";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bounds } from "../../packages/core/tests/bounds.ts";
import { inventoryAgent } from "./inventory.ts";

const resources = [{ path: "/reservations", idPrefix: "res", actions: ["release"], echo: ["orderId"] }];

let remotes: RunningRemotes;
let data: string;
let one = "";
let other = "";
let health: string[];
let count = 0;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "outage-"));
  const services = ["one", "other"].map((name) => ({ name, resources }));
  remotes = await startRemotes({ services, data, durability: "normal" });
  [one = "", other = ""] = remotes.services.map(({ url }) => `${url}/`);
  health = [];
});

afterEach(async () => {
  await remotes.close();
  await rm(data, { recursive: true });
});

function route(urls: readonly string[], options: Partial<RouteOptions> = {}): RoutedAgent {
  return routeAgent(
    inventoryAgent,
    urls.map((url) => ({ url, capacity: 4 })),
    {
      now: Date.now,
      firstPauseMs: 20,
      breaker: { openMs: 1500, longestOpenMs: 1500 },
      onHealth: (_agent, url, state) => health.push(`${url === one ? "one" : "other"} ${state}`),
      ...options,
    },
  );
}

function reserve(agent: RoutedAgent, withinMs = 5000): Promise<BoundedReply> {
  const orderId = `order-${++count}`;
  const order = {
    orderId,
    workflow: "order-fulfilment",
    priority: "normal",
    customer: { id: "customer-7" },
    lines: [{ sku: "TEA-1", quantity: 2, unitPrice: 450 }],
    currency: "EUR",
    paymentToken: "tok_visa",
    shipTo: { name: "Ada", street: "1 Analytical Way", city: "London", postalCode: "N1 1AA", country: "GB" },
  } as const;
  const request = { job: order, results: {}, idempotencyKey: `${orderId}:reserveStock:forward`, compensates: null };
  const completeBy = new Date(Date.now() + withinMs).toISOString();
  return agent.call("reserve", request, bounds(completeBy));
}

async function fault(url: string, body: object): Promise<void> {
  const response = await fetch(`${url}$faults`, { method: "POST", headers: FAULT_HEADERS, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

const fix = (url: string) => fetch(`${url}$faults`, { method: "DELETE", headers: FAULT_HEADERS });

async function get<T>(url: string, what: string): Promise<T> {
  return (await (await fetch(`${url}${what}`)).json()) as T;
}

const effects = async (url: string) =>
  (await get<{ effects: { key: string; calls: number }[] }>(url, "$effects")).effects;

test("P18 P19 one is down: the other takes over; a probe after the outage, then both again", async () => {
  const agent = route([one, other]);
  await fault(one, { kind: "down" });
  const replies = await Promise.all(Array.from({ length: 12 }, () => reserve(agent)));
  expect(new Set(replies.map((reply) => "endpoint" in reply && reply.endpoint))).toEqual(new Set([other]));
  expect(health[0]).toBe("one broken");

  const before = await get<{ down: number }>(one, "$counts");
  const later = await reserve(agent);
  expect(later).toMatchObject({ kind: "done", endpoint: other, because: "only healthy one" });
  expect(await get(one, "$counts")).toMatchObject({ down: before.down });

  await fix(one);
  const probed = { kind: "done", endpoint: one, because: "probe after an outage" };
  await vi.waitFor(async () => expect(await reserve(agent)).toMatchObject(probed), { timeout: 5000 });
  expect(health.at(-1)).toBe("one healthy");
  const both = await Promise.all(Array.from({ length: 8 }, () => reserve(agent)));
  expect(new Set(both.map((reply) => "endpoint" in reply && reply.endpoint))).toEqual(new Set([one, other]));
});

test("P6 replies are lost: every try has the same key, so the service does the work once", async () => {
  await fault(one, { kind: "loseReply", calls: 3 });
  expect(await reserve(route([one]))).toMatchObject({ kind: "done", endpoint: one });
  expect(await effects(one)).toMatchObject([{ key: `order-${count}:reserveStock:forward`, calls: 4 }]);
});

test("P18 429 with Retry-After: no call for that long", async () => {
  const agent = route([one]);
  await fault(one, { kind: "down", status: 429, retryAfterS: 1, calls: 1 });
  const startedAt = Date.now();
  const replies = await Promise.all([reserve(agent), reserve(agent).then(() => reserve(agent))]);
  expect(replies.map(({ kind }) => kind)).toEqual(["done", "done"]);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990);
  expect(health).toEqual(["one resting"]);
});

test("P8 complete-by in the middle of a slow call: silence at once, and the connection is dropped", async () => {
  await fault(one, { kind: "slow", delayMs: 3000 });
  const startedAt = Date.now();
  const lastError = { endpoint: one, message: "no answer before complete-by" };
  expect(await reserve(route([one]), 150)).toEqual({ kind: "expired", tries: 1, lastError, outcomeUnknown: true });
  expect(Date.now() - startedAt).toBeLessThan(1000);
});

test("P19 nobody listens at one endpoint: it is found out and left alone", async () => {
  await remotes.close();
  const services = [{ name: "other", resources, port: Number(new URL(other).port) }];
  remotes = await startRemotes({ services, data, durability: "normal" });
  const agent = route([one, other]);
  const replies = await Promise.all(Array.from({ length: 12 }, () => reserve(agent)));
  expect(replies.every((reply) => reply.kind === "done" && reply.endpoint === other)).toBe(true);
  expect(health[0]).toBe("one broken");
});
