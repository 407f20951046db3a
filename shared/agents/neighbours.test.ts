// P18 P31: what a service answers to one order says nothing about the orders beside it.
import {
  type BoundedReply,
  type RoutedAgent,
  type RouteOptions,
  routeAgent,
} from "@scheduler-agent-supervisor/core/agents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bounds } from "../../packages/core/tests/bounds.ts";
import { type HttpServer, startHttpServer } from "../../packages/core/tests/http-server.ts";
import { sampleOrder } from "../../tests/support/orders.ts";
import { inventoryAgent } from "./inventory.ts";

/** In the service's answers to the orders that it does not like. */
const PRIVATE = "the card of Ada Lovelace";

let service: HttpServer;
/** The answer to orders whose id begins with `bad`. */
let bad: { readonly status: number; readonly body: string };
/** Seconds in the `Retry-After` of these answers. */
let retryAfter: number | undefined;
let isUp: boolean;
let health: string[];
/** Where the breaker opens, an order waits until this time is over. */
const UNTIL_OPEN_MS = 1000;
/** Each request takes this time by the agent's clock, so that an order's time is over after some tries on any machine. */
const REQUEST_MS = 500;
let requests: number;
const byRequests = () => Date.now() + requests * REQUEST_MS;
let now: () => number;

beforeEach(async () => {
  health = [];
  requests = 0;
  now = byRequests;
  isUp = true;
  retryAfter = undefined;
  bad = { status: 400, body: JSON.stringify({ code: "BadToken", message: PRIVATE }) };
  service = await startHttpServer((request, response) => {
    requests += 1;
    const isBad = !isUp || String(request.headers["idempotency-key"]).startsWith("bad");
    const { status, body } = isBad ? bad : { status: 201, body: JSON.stringify({ id: "res-1" }) };
    if (isBad && retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
    response.writeHead(status, { "content-type": "application/json", location: "/sign-in" }).end(body);
  });
});
afterEach(() => service[Symbol.asyncDispose]());

const route = (options: Partial<RouteOptions> = {}) =>
  routeAgent(inventoryAgent, [{ url: service.url, capacity: 16 }], {
    now: () => now(),
    firstPauseMs: 5,
    longestPauseMs: 20,
    // Whatever opens it keeps it open for longer than this test takes.
    breaker: { openMs: 60_000, longestOpenMs: 60_000 },
    onHealth: (_agent, _url, state, why) => health.push(`${state}: ${why}`),
    ...options,
  });

function reserve(agent: RoutedAgent, orderId: string, withinMs = 10_000): Promise<BoundedReply> {
  const request = {
    job: sampleOrder(orderId),
    results: {},
    idempotencyKey: `${orderId}:reserveStock:forward`,
    compensates: null,
  };
  return agent.call("reserve", request, bounds(new Date(now() + withinMs).toISOString()));
}

const many = (agent: RoutedAgent, count: number, name = "bad", withinMs?: number) =>
  Promise.all(Array.from({ length: count }, (_, nth) => reserve(agent, `${name}-${nth}`, withinMs)));

const OF_THE_REQUEST = [400, 402, 406, 409, 411, 412, 413, 414, 415, 416, 417, 418, 422, 423, 424, 426, 428, 431, 451];

describe("P31 eight orders at fault hold themselves alone", () => {
  test.each(OF_THE_REQUEST)("HTTP %i", async (status) => {
    bad = { ...bad, status };
    const agent = route();
    const replies = await many(agent, 8);
    // Some are the service's own word on the order; each of the others waits for a person, with its own cause.
    for (const reply of replies) {
      if (reply.kind === "rejected") continue;
      // The agent declares 423 as "not now".
      const isNamed = status === 423 ? {} : { misconfigured: true };
      const lastError = { message: expect.stringContaining(`HTTP ${status}: ${PRIVATE}`), ...isNamed };
      expect(reply).toMatchObject({ kind: "expired", lastError });
    }
    expect(await reserve(agent, "good")).toMatchObject({ kind: "done" });
    expect(health).toEqual([]);
  });

  test("the probe after an outage that such an order makes shows that the service is back", async () => {
    const agent = route({ breaker: { failures: 2, openMs: 10, longestOpenMs: 10 } });
    bad = { status: 503, body: "" };
    await reserve(agent, "bad-0");
    bad = { status: 400, body: "" };
    await reserve(agent, "bad-1");
    expect(health.at(-1)).toBe("healthy: the probe was answered");
  });
});

describe("P18 an answer that may speak of the order or of the endpoint", () => {
  const ambiguous = [301, 302, 404, 405, 410].map((status) => [status, JSON.stringify({ message: PRIVATE })] as const);
  const unreadable = [200, JSON.stringify({ id: PRIVATE.repeat(20) })] as const;

  test.each([...ambiguous, unreadable])("HTTP %i to one order again and again is the order's", async (status, body) => {
    bad = { status, body };
    const agent = route();
    expect(await reserve(agent, "bad-0")).toMatchObject({ kind: "expired", lastError: { misconfigured: true } });
    expect(await reserve(agent, "good")).toMatchObject({ kind: "done" });
    expect(health).toEqual([]);
  });

  test.each([...ambiguous, unreadable])("HTTP %i to several in a row is the endpoint's", async (status, body) => {
    isUp = false;
    bad = { status, body };
    now = Date.now;
    const agent = route();
    await many(agent, 4, "good", UNTIL_OPEN_MS);
    expect(health[0]).toMatch(/^broken/);
    const waits = await reserve(agent, "later", 100);
    expect(waits).toMatchObject({ kind: "expired", tries: 0, lastError: { misconfigured: true } });
  });

  test("several in a row, between which another order was done, are the orders'", async () => {
    bad = { status: 404, body: "{}" };
    const agent = route();
    for (let nth = 0; nth < 8; nth += 1) {
      const [own, good] = await Promise.all([reserve(agent, `bad-${nth}`), reserve(agent, `good-${nth}`)]);
      expect([own.kind, good.kind]).toEqual(["expired", "done"]);
    }
    expect(health).toEqual([]);
  });
});

test.each([301, 404, 409, 410, 413, 422, 423])(
  "P31 the pause that HTTP %i asks of one order is that order's alone",
  async (status) => {
    bad = { ...bad, status };
    retryAfter = 300;
    now = Date.now;
    const agent = route();
    const [first] = await Promise.all([reserve(agent, "bad-0", 200), reserve(agent, "bad-1", 200)]);
    expect(["rejected", "expired"]).toContain(first.kind);
    expect(await reserve(agent, "good")).toMatchObject({ kind: "done" });
    expect(health).toEqual([]);
  },
);

test.each([401, 403, 407, 408, 421, 425, 429, 500, 503])(
  "P18 P31 HTTP %i speaks of the endpoint: others wait for it, and none has another's words in its record",
  async (status) => {
    bad = { ...bad, status };
    now = Date.now;
    const agent = route();
    const own = await reserve(agent, "bad-0", UNTIL_OPEN_MS);
    expect(own).toMatchObject({ lastError: { message: expect.stringContaining(PRIVATE) } });
    const other = await reserve(agent, "good", 100);
    expect(other).toMatchObject({
      kind: "expired",
      tries: 0,
      lastError: { message: expect.stringContaining(`HTTP ${status}`) },
    });
    expect(JSON.stringify(other)).not.toContain(PRIVATE);
    expect(JSON.stringify(health)).not.toContain(PRIVATE);
  },
);

test("P31 what an agent's own code says of one order stands in no other's record", async () => {
  const unavailable = async () => ({ kind: "unavailable", message: PRIVATE }) as const;
  const agent = routeAgent(
    { name: "inventory", operations: { reserve: unavailable } },
    [{ url: "http://x/", capacity: 1 }],
    {
      now: Date.now,
      firstPauseMs: 1,
      longestPauseMs: 1,
      breaker: { openMs: 60_000, longestOpenMs: 60_000 },
    },
  );
  expect(await reserve(agent, "first", UNTIL_OPEN_MS)).toMatchObject({
    lastError: { message: expect.stringContaining(PRIVATE) },
  });
  expect(JSON.stringify(await reserve(agent, "second", 100))).not.toContain(PRIVATE);
});
