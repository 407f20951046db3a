// How a service knows the app, over HTTP: the header of a setting, or a token; a 401 brings a fresh one, once.

import type { AccessToken, TokenCredential } from "@azure/identity";
import { type Authentication, type RouteOptions, routeAgent } from "@scheduler-agent-supervisor/core/agents";
import { parseConfig, parseEndpoints } from "@scheduler-agent-supervisor/core/app";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import sample from "../../local.settings.sample.json" with { type: "json" };
import { bounds as boundsOf } from "../../packages/core/tests/bounds.ts";
import { type HttpServer, startHttpServer } from "../../packages/core/tests/http-server.ts";
import { sampleOrder } from "../../tests/support/orders.ts";
import { inventoryAgent } from "./inventory.ts";

const HOUR_MS = 3_600_000;
const REQUEST = {
  job: sampleOrder("order-1"),
  results: {},
  idempotencyKey: "order-1:reserve:forward",
  compensates: null,
};

let service: HttpServer;
/** What came: each request's credential. */
let seen: { authorization: string | undefined; key: string | string[] | undefined }[];
/** What the service takes. */
let isKnown: (authorization: string | undefined, key: string | string[] | undefined) => boolean;
let rejection: { status: number; body: object };
/** All that anybody was notified of. */
let reported: unknown[];

beforeEach(async () => {
  [seen, reported] = [[], []];
  rejection = { status: 401, body: { message: "who are you?" } };
  service = await startHttpServer((request, response) => {
    const { authorization, "x-api-key": key } = request.headers;
    seen.push({ authorization, key });
    const { status, body } = isKnown(authorization, key) ? { status: 201, body: { id: "res-1" } } : rejection;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
});

afterEach(() => service[Symbol.asyncDispose]());

/** An identity whose tokens are `token-1`, `token-2` and so on; `fails` of them can't be had. */
function identity({ fails = 0, same = false } = {}): TokenCredential & { asked: { scopes: string | string[] }[] } {
  const asked: { scopes: string | string[] }[] = [];
  return {
    asked,
    async getToken(scopes): Promise<AccessToken> {
      asked.push({ scopes });
      if (asked.length <= fails) throw new Error("the identity endpoint is away");
      return { token: `token-${same ? 1 : asked.length}`, expiresOnTimestamp: Date.now() + HOUR_MS };
    },
  };
}

function route(setting: string, options: Partial<RouteOptions> = {}) {
  const { found, faults } = parseEndpoints(setting);
  expect(faults).toEqual([]);
  return routeAgent(inventoryAgent, found, {
    now: Date.now,
    firstPauseMs: 1,
    longestPauseMs: 5,
    onHealth: (...change) => reported.push(change),
    onMisconfigured: (...change) => reported.push(change),
    observeTry: async (about, call) => {
      const reply = await call(undefined);
      reported.push(about, reply);
      return reply;
    },
    ...options,
  });
}

async function reserve(agent: ReturnType<typeof routeAgent>, withinMs = 10_000) {
  const completeBy = new Date(Date.now() + withinMs).toISOString();
  const reply = await agent.call("reserve", REQUEST, boundsOf(completeBy));
  reported.push(reply);
  return reply;
}

describe("a header from a setting", () => {
  const settingOf = (name: string) => (name === "InventoryKey" ? "s3cret" : undefined);
  const authenticators = { settingOf, identity: identity() };

  test("is sent with each try, and only where the endpoint wants it", async () => {
    isKnown = (_, key) => key === "s3cret";
    const agent = route(`${service.url};header:X-Api-Key=InventoryKey`, { authenticators });
    expect(await reserve(agent)).toMatchObject({ kind: "done" });
    isKnown = () => true;
    expect(await reserve(route(service.url, { authenticators }))).toMatchObject({ kind: "done" });
    expect(seen).toEqual([
      { authorization: undefined, key: "s3cret" },
      { authorization: undefined, key: undefined },
    ]);
  });

  test("is not repeated at once after a 401: there is no other", async () => {
    isKnown = () => seen.length > 2;
    const agent = route(`${service.url};header:X-Api-Key=InventoryKey`, { authenticators });
    expect(await reserve(agent)).toMatchObject({ kind: "done" });
    expect(reported.filter((what) => JSON.stringify(what).includes("HTTP 401: who are you?")).length).toBeGreaterThan(
      1,
    );
    expect(seen).toHaveLength(3);
  });

  test("stands nowhere, even if the service sends it back", async () => {
    isKnown = () => false;
    const agent = route(`${service.url};header:X-Api-Key=InventoryKey`, { authenticators });
    rejection = { status: 422, body: { code: "bad-key", message: "s3cret is no key: s3cret" } };
    expect(await reserve(agent)).toMatchObject({ kind: "rejected", message: "(hidden) is no key: (hidden)" });
    rejection = { status: 403, body: { message: "s3cret" } };
    expect(await reserve(agent, 1500)).toMatchObject({ kind: "expired", lastError: { message: "HTTP 403: (hidden)" } });
    expect(JSON.stringify(reported)).not.toContain("s3cret");
  });

  test("nor where the service takes it for the id of its effect", async () => {
    isKnown = () => false;
    const long = "s3cret-of-an-inventory";
    const settings = { settingOf: () => long, identity: identity() };
    const agent = route(`${service.url};header:X-Api-Key=InventoryKey`, { authenticators: settings });
    rejection = { status: 201, body: { id: long } };
    expect(await reserve(agent)).toMatchObject({ kind: "done", result: { reservationId: "(hidden)" } });
    expect(JSON.stringify(reported)).not.toContain(long);
  });

  test("an endpoint that wants one is not called without", () => {
    expect(() => route(`${service.url};header:X-Api-Key=InventoryKey`)).toThrow("wants a credential");
  });
});

describe("what the agent declares", () => {
  const token = { kind: "token", scope: "api://inventory/.default" } as const;
  const key = { kind: "header", header: "x-api-key", setting: "InventoryKey" } as const;

  /** How the endpoints of a setting know the app, where the agent declares this. */
  function authenticationsOf(setting: string, authentication: Authentication, others: Record<string, string> = {}) {
    const agent = { ...inventoryAgent, service: { ...inventoryAgent.service, authentication } };
    const settings = { ...sample.Values, ...others, InventoryEndpoints: setting };
    const { endpoints } = parseConfig(settings, { serviceAgents: [agent] });
    return endpoints["inventory"]?.map((endpoint) => endpoint.authentication);
  }

  test("counts for endpoints over https whose setting says nothing", () => {
    const setting = "https://a.example, https://b.example;header:x-api-key=InventoryKey, http://127.0.0.1:1";
    expect(authenticationsOf(setting, token, { InventoryKey: "s3cret" })).toEqual([token, key, undefined]);
  });

  test("may be a header, whose setting has to be there", () => {
    expect(authenticationsOf("https://a.example", key, { InventoryKey: "s3cret" })).toEqual([key]);
    expect(() => authenticationsOf("https://a.example", key)).toThrow("wants the setting InventoryKey as x-api-key");
    expect(authenticationsOf("http://127.0.0.1:1", key)).toEqual([undefined]);
  });
});

describe("a token", () => {
  const scope = "api://inventory/.default";
  const settingOf = () => undefined;
  const routeBy = (who: TokenCredential, setting = `${service.url};token:${scope}`) =>
    route(setting, { authenticators: { settingOf, identity: who } });

  test("of the scope is asked for once, and sent with each try", async () => {
    isKnown = (authorization) => authorization === "Bearer token-1";
    const who = identity();
    const agent = routeBy(who);
    for (let n = 0; n < 3; n++) expect(await reserve(agent)).toMatchObject({ kind: "done" });
    expect([who.asked.flatMap(({ scopes }) => scopes), seen.length]).toEqual([[scope], 3]);
  });

  test("is renewed after a 401, once, in the same try", async () => {
    isKnown = (authorization) => authorization === "Bearer token-2";
    const who = identity();
    const agent = routeBy(who);
    expect(await reserve(agent)).toMatchObject({ kind: "done" });
    expect(await reserve(agent)).toMatchObject({ kind: "done" });
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
      "Bearer token-2",
    ]);
    expect(reported.filter((what) => JSON.stringify(what).includes("unavailable"))).toEqual([]);
  });

  test("of calls that are rejected together the first renews for all", async () => {
    isKnown = (authorization) => authorization === "Bearer token-2";
    const who = identity();
    const agent = routeBy(who);
    const replies = await Promise.all(Array.from({ length: 8 }, () => reserve(agent)));
    expect(new Set(replies.map(({ kind }) => kind))).toEqual(new Set(["done"]));
    expect(who.asked).toHaveLength(2);
  });

  test("that is rejected again is a fault of the endpoint, and the next try asks for another", async () => {
    isKnown = (authorization) => authorization === "Bearer token-4";
    expect(await reserve(routeBy(identity()))).toMatchObject({ kind: "done" });
    expect(seen.map(({ authorization }) => authorization?.at(-1))).toEqual(["1", "2", "2", "3", "3", "4"]);
    expect(reported.filter((what) => JSON.stringify(what).includes('"misconfigured":true')).length).toBeGreaterThan(1);
  });

  test("that stays the same is not sent again in the same try", async () => {
    isKnown = () => seen.length > 2;
    expect(await reserve(routeBy(identity({ same: true })))).toMatchObject({ kind: "done" });
    expect(seen).toHaveLength(3);
  });

  test("that can't be had: nothing is sent, an operator is notified of it, and the step is tried again", async () => {
    isKnown = () => true;
    expect(await reserve(routeBy(identity({ fails: 2 })))).toMatchObject({ kind: "done" });
    expect(seen).toHaveLength(1);
    const error = {
      endpoint: service.url,
      message: "no credential: Error: the identity endpoint is away",
      misconfigured: true,
    };
    expect(reported.filter((what) => Array.isArray(what) && what[1] === "reserve")).toEqual(
      Array(2).fill(["inventory", "reserve", error]),
    );
  });

  test("that takes longer than a try: nothing is sent, so what is done at most once is tried again", async () => {
    isKnown = () => true;
    let asked = 0;
    const who: TokenCredential = {
      getToken: () =>
        asked++ === 0
          ? new Promise(() => undefined)
          : Promise.resolve({ token: "t", expiresOnTimestamp: Date.now() + HOUR_MS }),
    };
    const policies = { reserve: { atMostOnce: true, tryTimeoutMs: 100, tries: 1 } };
    const { found } = parseEndpoints(`${service.url};token:${scope}`);
    const agent = routeAgent({ ...inventoryAgent, policies }, found, {
      now: Date.now,
      authenticators: { settingOf, identity: who },
    });
    const reply = await reserve(agent);
    expect(reply).toMatchObject({ kind: "expired", tries: 1, lastError: { message: "no answer within 100 ms" } });
    expect(reply).not.toHaveProperty("outcomeUnknown");
    expect(seen).toEqual([]);
    expect(await reserve(agent), "the next try asks for a token of its own").toMatchObject({ kind: "done" });
  });

  test("stands nowhere, even if the service sends it back", async () => {
    isKnown = () => false;
    rejection = { status: 403, body: { message: "token-1 has no right" } };
    expect(await reserve(routeBy(identity()), 1500)).toMatchObject({
      lastError: { message: "HTTP 403: (hidden) has no right" },
    });
    rejection = { status: 401, body: { message: "neither token-1 nor token-2" } };
    await reserve(routeBy(identity({ same: true })), 1500);
    expect(JSON.stringify(reported)).not.toMatch(/token-1/);
  });

  test("each endpoint gets its own", async () => {
    isKnown = () => true;
    const other = service.url.replace("127.0.0.1", "localhost");
    const agent = route(`${service.url};token:${scope}, ${other};header:x-api-key=Key`, {
      authenticators: { settingOf: () => "k", identity: identity() },
    });
    await reserve(agent);
    await reserve(agent);
    expect(seen).toEqual([
      { authorization: "Bearer token-1", key: undefined },
      { authorization: undefined, key: "k" },
    ]);
  });
});
