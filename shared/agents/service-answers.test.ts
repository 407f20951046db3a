// P9 over HTTP: what each agent takes for its service's word on the order, and what is a fault of the endpoint.

import {
  type AgentCall,
  type AgentReply,
  type LastError,
  type Operation,
  routeAgent,
} from "@scheduler-agent-supervisor/core/agents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bounds as boundsOf } from "../../packages/core/tests/bounds.ts";
import { type HttpServer, startHttpServer } from "../../packages/core/tests/http-server.ts";
import { type AgentName, agentCases, casesByAgent } from "../../tests/support/agent-cases.ts";
import { sampleOrder } from "../../tests/support/orders.ts";
import { business } from "../business.ts";
import { inventoryAgent } from "./inventory.ts";
import { paymentAgent } from "./payment.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

const json = (status: number, body: object): Answer => ({
  status,
  body: JSON.stringify(body),
  type: "application/json",
});
const html = (status: number): Answer => ({ status, body: "<h1>Gateway</h1>", type: "text/html" });
const made = json(201, { id: "x-1" });

let service: HttpServer;
/** One for each call; the last one for all that follow. */
let answers: Answer[];
let calls: number;

beforeEach(async () => {
  calls = 0;
  service = await startHttpServer((_, response) => {
    const { status, body, type = "text/plain" } = answers[Math.min(calls, answers.length - 1)] ?? made;
    calls += 1;
    response.writeHead(status, { "content-type": type, location: "/sign-in" }).end(body);
  });
});

afterEach(() => service[Symbol.asyncDispose]());

const REQUEST = {
  job: sampleOrder("order-1"),
  results: {},
  idempotencyKey: "order-1:step:forward",
  compensates: null,
};

async function reply(agent: AgentName, ...given: Answer[]): Promise<AgentReply> {
  answers = given;
  const declared = business.serviceAgents.find(({ name }) => name === agent);
  const operation = declared?.operations[agentCases[agent].asked] as Operation | undefined;
  if (!operation) throw new Error(`no operation ${agentCases[agent].asked}`);
  const call: AgentCall = {
    ...REQUEST,
    endpoint: service.url,
    completeBy: new Date(Date.now() + 5000).toISOString(),
    signal: AbortSignal.timeout(5000),
  };
  return operation(call);
}

/** The services' own answers. */
const OWN = casesByAgent.flatMap(([agent, { answers: own = [] }]) =>
  own.map(([status, code, means]) => [agent, status, code, means] as const),
);

describe("P9 the services' own answers", () => {
  test.each(OWN)("%s, HTTP %i %s: %s", async (agent, status, code, kind) => {
    const own = await reply(agent, json(status, { code, message: "no" }));
    expect(own).toMatchObject({ kind, message: kind === "rejected" ? "no" : `HTTP ${status}: no` });
    expect(own).not.toHaveProperty("misconfigured");
  });

  test.each(OWN)("%s, HTTP %i in a gateway's words is a fault of the endpoint", async (agent, status) => {
    expect(await reply(agent, html(status))).toMatchObject({ kind: "unavailable", misconfigured: true });
  });
});

test.each([401, 403, 407])(
  "P9 P18 HTTP %i for a while: an operator is notified of it, the breaker opens, and the order is done when it is fixed",
  async (status) => {
    answers = [...Array(4).fill(html(status)), made];
    const reported: { operation: string; error: LastError }[] = [];
    const health: string[] = [];
    const agent = routeAgent(inventoryAgent, [{ url: service.url, capacity: 4 }], {
      now: Date.now,
      firstPauseMs: 1,
      breaker: { failures: 3, openMs: 20, longestOpenMs: 20 },
      onMisconfigured: (_, operation, error) => reported.push({ operation, error }),
      onHealth: (_agent, _url, state) => health.push(state),
    });
    const completeBy = new Date(Date.now() + 20_000).toISOString();
    const bounded = await agent.call("reserve", REQUEST, boundsOf(completeBy));
    expect(bounded).toMatchObject({ kind: "done", endpoint: service.url });
    expect(bounded).not.toHaveProperty("outcomeUnknown");
    const error = { endpoint: service.url, message: `HTTP ${status}`, misconfigured: true };
    expect(reported).toEqual(Array(4).fill({ operation: "reserve", error }));
    expect(health[0]).toBe("broken");
    expect(health.at(-1)).toBe("healthy");
    expect(calls).toBe(5);
  },
);

test("P9 a fault of the endpoint that lasts times out, which says what it was", async () => {
  answers = [json(403, { code: "AuthorizationFailed", message: "the key was rotated" })];
  const agent = routeAgent(paymentAgent, [{ url: service.url, capacity: 4 }], { now: Date.now, firstPauseMs: 5 });
  const completeBy = new Date(Date.now() + 300).toISOString();
  expect(await agent.call("authorize", REQUEST, boundsOf(completeBy))).toMatchObject({
    kind: "expired",
    lastError: {
      endpoint: service.url,
      message: expect.stringContaining("HTTP 403: the key was rotated"),
      misconfigured: true,
    },
  });
});
