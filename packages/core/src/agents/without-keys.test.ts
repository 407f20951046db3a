// A service without idempotency keys (P6), over HTTP: slower than a try may be, and yet it books one flight. Times are a tenth of
// those of an app: a service of 7 s under tries of 5 s.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FAULT_HEADERS, type RunningRemotes, startRemotes } from "@scheduler-agent-supervisor/local/remotes";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bounds as boundsOf } from "../../tests/bounds.ts";
import { sampleJob } from "../../tests/jobs.ts";
import type { Agent, AgentCall, AgentRequest, Finding, OperationPolicy } from "./agent.ts";
import type { AnswerBody } from "./http-exchange.ts";
import { callService, keepId, lookUp } from "./http-service.ts";
import { routeAgent } from "./route-agent.ts";
import type { AnswerRule } from "./service-answers.ts";

const SERVICE_MS = 700;
const TRY_MS = 500;

let remotes: RunningRemotes;
let data: string;
let flights: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "flights-"));
  const resources = [{ path: "/bookings", idPrefix: "fl", echo: ["reference"] }];
  remotes = await startRemotes({ services: [{ name: "flights", keys: false, resources }], data, durability: "normal" });
  flights = `${remotes.services[0]?.url}/`;
});

afterEach(async () => {
  await remotes.close();
  await rm(data, { recursive: true });
});

/** As docs/reference/workflow-definition.md describes such a service's agent. */
const keep = keepId("bookingId");
const answers: readonly AnswerRule[] = [{ status: 422, means: "rejected" }];

const flightsAgent = {
  name: "flights",
  operations: {
    book: (call) => callService({ path: "bookings", body: { reference: call.idempotencyKey }, keep, answers }, call),
  },
} as const satisfies Agent;

function findBooking(call: AgentCall): Promise<Finding> {
  const path = `bookings?reference=${encodeURIComponent(call.idempotencyKey)}`;
  return lookUp({ path, keep: first }, call);
}

/** Null: there is no such booking. Undefined: this is no answer to the question. */
function first({ items }: AnswerBody) {
  if (!Array.isArray(items)) return undefined;
  return items.length === 0 ? null : keep(items[0] ?? {});
}

/** Long after the service has done what it was asked for. */
const SETTLED_MS = 3000;
const FIND: OperationPolicy = { find: { ask: findBooking, settlesWithinMs: SETTLED_MS } };

const REQUEST = {
  job: sampleJob("job-1"),
  results: {},
  idempotencyKey: "job-1:bookFlight:forward",
  compensates: null,
};

function call(policy: OperationPolicy, withinMs = 20_000, more: Partial<AgentRequest> = {}, urls = [flights]) {
  const agent: Agent = { ...flightsAgent, policies: { book: policy } };
  const endpoints = urls.map((url) => ({ url, capacity: 4 }));
  const routed = routeAgent(agent, endpoints, {
    now: Date.now,
    tryTimeoutMs: TRY_MS,
    firstPauseMs: 20,
    longestPauseMs: 100,
  });
  const completeBy = new Date(Date.now() + withinMs).toISOString();
  return routed.call("book", { ...REQUEST, ...more }, boundsOf(completeBy));
}

async function fault(body: object): Promise<void> {
  const response = await fetch(`${flights}$faults`, {
    method: "POST",
    headers: FAULT_HEADERS,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function get<T>(what: string): Promise<T> {
  return (await (await fetch(`${flights}${what}`)).json()) as T;
}

const booked = async () =>
  (await get<{ items: { id: string }[] }>(`bookings?reference=${REQUEST.idempotencyKey}`)).items;
const requests = async () => (await get<{ requests: number }>("$counts")).requests;

/** Until everything that was asked for has had its effect. */
async function settled(): Promise<{ id: string }[]> {
  await expect
    .poll(async () => await get<{ requests: number; effects: number }>("$counts"))
    .toSatisfy(({ requests: asked, effects }) => asked === effects);
  return booked();
}

describe(`a service of ${SERVICE_MS} ms under tries of ${TRY_MS} ms`, () => {
  beforeEach(() => fault({ kind: "slow", delayMs: SERVICE_MS }));

  test("with neither policy books several flights", async () => {
    await call({}, 2500);
    expect((await settled()).length).toBeGreaterThan(1);
  });

  test("books one flight, which is found", async () => {
    const reply = await call(FIND);
    const flightsBooked = await settled();
    expect(flightsBooked).toHaveLength(1);
    expect(reply).toMatchObject({ kind: "done", result: { bookingId: flightsBooked[0]?.id } });
    expect(await requests()).toBe(1);
  });

  test("books one flight when complete-by passes in between: the next call finds it", async () => {
    const first = await call(FIND, 300);
    expect(first).toMatchObject({ kind: "expired", tries: 1, outcomeUnknown: true });
    const triedUntil = new Date().toISOString();
    const reply = await call(FIND, 20_000, { mayHaveHappened: true, triedUntil });
    const flightsBooked = await settled();
    expect(flightsBooked).toHaveLength(1);
    expect(reply).toMatchObject({ kind: "done", result: { bookingId: flightsBooked[0]?.id } });
    expect(await requests()).toBe(1);
  });

  test("at most once: one flight, and a person has to look", async () => {
    expect(await call({ atMostOnce: true })).toEqual({
      kind: "rejected",
      message: `not tried again, for it may have been done (at most once): no answer within ${TRY_MS} ms`,
      endpoint: flights,
      because: "at most once",
      outcomeUnknown: true,
    });
    expect(await settled()).toHaveLength(1);
    expect(await requests()).toBe(1);
  });

  test("at most once: a later call tries nothing where an earlier one may have done it", async () => {
    expect(await call({ atMostOnce: true }, 300)).toMatchObject({ kind: "expired", tries: 1, outcomeUnknown: true });
    const later = await call({ atMostOnce: true }, 20_000, { mayHaveHappened: true });
    expect(later).toMatchObject({ kind: "rejected", outcomeUnknown: true });
    expect(await settled()).toHaveLength(1);
    expect(await requests()).toBe(1);
  });
});

test("what was lost on the way back is found", async () => {
  await fault({ kind: "loseReply", calls: 1 });
  const reply = await call(FIND);
  expect(await booked()).toMatchObject([{ id: reply.kind === "done" ? reply.result["bookingId"] : "" }]);
});

test("what is not there when an earlier call may have made it is made once", async () => {
  const triedUntil = new Date(Date.now() - SETTLED_MS).toISOString();
  const reply = await call(FIND, 20_000, { mayHaveHappened: true, triedUntil });
  expect(reply).toMatchObject({ kind: "done" });
  expect(await booked()).toHaveLength(1);
});

test("at most once is tried again where nothing was sent", async () => {
  const reply = await call({ atMostOnce: true }, 20_000, {}, ["http://127.0.0.1:1/", flights]);
  expect(reply).toMatchObject({ kind: "done", endpoint: flights });
  expect(await booked()).toHaveLength(1);
});
