// One definition of simulated services: the local stack and a world answer alike, and the sample's own services carry its jobs through in a world.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEntities } from "@scheduler-agent-supervisor/local";
import {
  FAULT_HEADERS,
  inMemoryServices,
  type RemoteService,
  startRemotes,
} from "@scheduler-agent-supervisor/local/remotes";
import { createWorld, Service, type ServiceFault, type World } from "@scheduler-agent-supervisor/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { services as withWorker } from "../../samples/fraud-worker.ts";
import { services as samples } from "../../samples/remotes.ts";
import { business } from "../../shared/business.ts";
import { sampleOrder } from "../support/orders.ts";

const MODULE = join(ROOT, "tests/support/simulated-services.ts");
const folder = mkdtempSync(join(tmpdir(), "simulation-"));
let services: readonly RemoteService[];
let remotes: Awaited<ReturnType<typeof startRemotes>>;

beforeAll(async () => {
  // As `npm start` reads it.
  const { entities, faults } = await readEntities({ parts: ["remotes"], named: true, remotes: MODULE } as never);
  expect(faults).toEqual([]);
  services = entities.remotes?.["services"] as typeof services;
  remotes = await startRemotes({ services: services as never, data: folder });
});

afterAll(async () => {
  await remotes.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Asked {
  readonly service: string;
  readonly path: string;
  /** Absent: a GET. */
  readonly key?: string;
  readonly body?: object;
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Ids are the services' own: each stands for its place. */
function withoutIds(answers: readonly Answered[]): Answered[] {
  const ids = [...new Set(answers.flatMap(({ body }) => (typeof body["id"] === "string" ? [body["id"]] : [])))];
  const text = ids.reduce((all, id, at) => all.replaceAll(id, `id-${at}`), JSON.stringify(answers));
  return JSON.parse(text);
}

type Ask = (asked: Asked) => Promise<Answered>;

const overHttp: Ask = async ({ service, path, key, body }) => {
  const url = `${remotes.services.find(({ name }) => name === service)?.url}${path}`;
  const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
  const response = await fetch(url, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    // A gateway's page is no JSON.
    body: (response.headers.get("content-type") === "text/html" ? {} : await response.json()) as Answered["body"],
  };
};

function inWorld(): Ask {
  const handlers = inMemoryServices(services, { now: Date.now, report: () => undefined });
  return async ({ service, path, key, body = null }) => {
    const answer = handlers[service]?.({ path, body, idempotencyKey: key, method: body ? "POST" : "GET" });
    const { status, headers, body: answered } = answer ?? { status: 0, headers: {}, body: {} };
    return { status, retryAfter: headers["retry-after"] ?? null, body: answered as Answered["body"] };
  };
}

async function conversation(ask: Ask): Promise<Answered[]> {
  const answers: Answered[] = [];
  const say = async (service: string, path: string, key?: string, body?: object) => {
    const answer = await ask({ service, path, ...(key !== undefined && { key }), ...(body && { body }) });
    answers.push(answer);
    return String(answer.body["id"]);
  };
  const first = await say("inventory", "/reservations", "k1", { orderId: "abcd" });
  await say("inventory", "/reservations", "k1", { orderId: "abcd" });
  await say("inventory", "/reservations", "k1", { orderId: "other" });
  await say("inventory", "/reservations", "k2", { orderId: "b" });
  await say("inventory", "/reservations", "k3", { orderId: "c" });
  await say("inventory", "/reservations", "k4", { orderId: "d" });
  await say("inventory", `/reservations/${first}/release`, "r1", {});
  await say("inventory", "/reservations", "k4", { orderId: "d" });
  await say("inventory", "/reservations/key:k9/release", "r9", {});
  await say("inventory", "/reservations", "k9", { orderId: "late" });
  await say("inventory", "/reservations/key:k2/release", "r2", {});
  await say("inventory", "/reservations/none/release", "r3", {});
  await say("inventory", "/reservations?orderId=abcd");
  await say("inventory", `/reservations/${first}`);
  const shipment = await say("shipping", "/shipments", "s1", { orderId: "a" });
  await say("shipping", "/shipments", "s1", { orderId: "a" });
  await say("shipping", `/shipments/${shipment}`);
  const pickup = await say("shipping", "/pickups", "p1", { orderId: "a" });
  await say("shipping", `/pickups/${pickup}`);
  await say("flight", "/bookings", "f1", { reference: "one" });
  await say("flight", "/bookings", "f1", { reference: "one" });
  await say("flight", "/bookings?reference=one");
  return withoutIds(answers);
}

test("P36 the local stack and a world answer alike to one definition", async () => {
  const local = await conversation(overHttp);
  const world = await conversation(inWorld());
  const plain = (answers: readonly Answered[]) =>
    answers.map(({ body: { message, ...body }, ...answer }) => ({ ...answer, body }));
  expect(plain(world)).toEqual(plain(local));
  expect(local.slice(0, 2).map(({ status, body }) => [status, body["score"]])).toEqual([
    [201, 4],
    [201, 4],
  ]);
  expect(local[5]).toMatchObject({ status: 409, body: { code: "none-left" } });
  expect(local[7]?.status).toBe(201);
  expect(local[9]).toMatchObject({ status: 409, body: { code: "already-undone" } });
  expect(local[14]).toMatchObject({ status: 202, retryAfter: "1" });
  expect(local[16]).toMatchObject({ status: 200, body: { carrier: "post" } });
  expect(local[18]).toMatchObject({ status: 202, retryAfter: "60" });
});

test("P36 the sample's services carry an order and a trip through in a world", async () => {
  const world = createWorld({ business, simulated: (surroundings) => inMemoryServices(samples, surroundings) });
  await world.submit(sampleOrder("order-1"));
  await world.submit(sampleOrder("trip-1", { workflow: "trip" }));
  await world.run();
  expect(world.record("order-1").processState).toBe("Processed");
  expect(world.record("trip-1").processState).toBe("Processed");
  // The hotel reports it, three seconds later.
  expect(world.results("trip-1")).toMatchObject({ bookHotel: { bookingId: expect.stringMatching(/^hotel-/) } });
});

type Report = Parameters<ReturnType<World["service"]>["reportsLater"]>[1];

test.each<[string, Report, object, string]>([
  ["later", { after: "PT5M", result: { bookingId: "room-12" } }, { bookHotel: { bookingId: "room-12" } }, "Processed"],
  ["a rejection", { after: "PT5M", rejection: "it is full" }, {}, "Compensated"],
  ["never", {}, {}, "Compensated"],
])(
  "what a script reports (%s) is all that is reported: the simulated service is silent",
  async (_, report, results, end) => {
    const world = createWorld({ business, simulated: (surroundings) => inMemoryServices(samples, surroundings) });
    world.service("hotel").reportsLater("book", report);
    await world.submit(sampleOrder("trip-1", { workflow: "trip" }));
    await world.run();
    expect(world.record("trip-1").processState).toBe(end);
    expect(world.results("trip-1")).toMatchObject(results);
  },
);

describe("the fraud agent's worker takes its requests from their queue", () => {
  const QUEUE = "agent-requests-fraud";

  async function order(...faults: ServiceFault[]): Promise<World> {
    const world = createWorld({ business, simulated: (surroundings) => inMemoryServices(withWorker, surroundings) });
    for (const fault of faults) world.service("fraud").switchOn(fault);
    await world.submit(sampleOrder("order-1"));
    await world.run();
    return world;
  }

  /** The effects are the service's own: each call that it answered with a success under another key. */
  const effects = (world: World) =>
    new Set(world.service("fraud").calls.map(({ idempotencyKey }) => idempotencyKey)).size;

  test.each<[string, ServiceFault, number]>([
    ["is silent once", { kind: "hang", path: QUEUE, calls: 1 }, 1],
    ["loses a reply", { kind: "loseReply", calls: 1 }, 2],
    ["replies twice", { kind: "double" }, 1],
    ["replies late", { kind: "slow", path: QUEUE, delayMs: 5000 }, 1],
    ["is down for a minute", { kind: "down", path: QUEUE, forMs: 60_000 }, 1],
    ["finds its service down", { kind: "down", calls: 2 }, 3],
  ])("P7 it %s: the order is processed, and checked once", async (_, fault, calls) => {
    const world = await order(fault);
    expect(world.record("order-1").processState).toBe("Processed");
    expect(world.results("order-1")["checkFraud"]).toEqual({ checkId: "chk-1" });
    expect(effects(world)).toBe(1);
    expect(world.service("fraud").calls.length).toBeGreaterThanOrEqual(calls);
  });

  test("P36 its service is slow: what it does comes late", async () => {
    const [at, lateAt] = [await order(), await order({ kind: "slow", delayMs: 5000, calls: 1 })].map((world) =>
      Date.parse(world.service("fraud").calls[0]?.at ?? ""),
    );
    expect((lateAt ?? 0) - (at ?? 0)).toBeGreaterThanOrEqual(5000);
  });

  test("P7 it rejects: the order is not processed", async () => {
    const world = await order({ kind: "reject", message: "a known thief" });
    expect(world.record("order-1")).toMatchObject({ error: { kind: "rejected", step: "checkFraud" } });
    expect(world.record("order-1").error?.message).toContain("a known thief");
  });
});

/** One body of `POST /$faults` for the local stack and for a world. */
const FAULTS: readonly { readonly service: string; readonly fault: ServiceFault }[] = [
  { service: "inventory", fault: { kind: "down", path: "/reservations", calls: 1 } },
  { service: "inventory", fault: { kind: "reject", match: { orderId: "b" }, status: 409, code: "none", calls: 1 } },
  { service: "inventory", fault: { kind: "accept", path: "/reservations/*/release", retryAfterS: 3, calls: 1 } },
  { service: "inventory", fault: { kind: "gateway", match: { orderId: "g" }, calls: 1 } },
  { service: "flight", fault: { kind: "down", status: 429, retryAfterS: 2, calls: 2 } },
  { service: "flight", fault: { kind: "slow", delayMs: 50, calls: 1 } },
];

test("P36 the local stack and a world take the same faults, and answer alike", async () => {
  const handlers = inMemoryServices(services, { now: Date.now, report: () => undefined });
  const scripted = new Map(
    Object.entries(handlers).map(([name, handler]) => {
      const surroundings = { now: Date.now, report: () => undefined, completionsUrl: "http://app.test/" };
      return [name, new Service(name, handler, surroundings, true)];
    }),
  );
  const world: Ask = async ({ service, path, key, body = null }) => {
    const method = body ? "POST" : "GET";
    const at = new Date().toISOString();
    const request = { operation: "any", method, path, headers: {}, body, idempotencyKey: key, at };
    const outcome = scripted.get(service)?.take(request) ?? "hangs";
    if (typeof outcome === "string") return { status: 0, retryAfter: null, body: { outcome } };
    const { status = 200, headers = {}, body: answered } = outcome;
    return { status, retryAfter: headers["retry-after"] ?? null, body: answered as Answered["body"] };
  };
  for (const { service, fault } of FAULTS) {
    scripted.get(service)?.switchOn(fault);
    const url = `${remotes.services.find(({ name }) => name === service)?.url}/$faults`;
    const response = await fetch(url, { method: "POST", headers: FAULT_HEADERS, body: JSON.stringify(fault) });
    expect(response.status, await response.text()).toBe(201);
  }
  const asked: Asked[] = [
    { service: "inventory", path: "/reservations", key: "f1", body: { orderId: "a" } },
    { service: "inventory", path: "/reservations", key: "f1", body: { orderId: "a" } },
    { service: "inventory", path: "/reservations", key: "f2", body: { orderId: "b" } },
    { service: "inventory", path: "/reservations/key:f1/release", key: "f3", body: {} },
    { service: "inventory", path: "/reservations", key: "g1", body: { orderId: "g" } },
    { service: "inventory", path: "/reservations", key: "g1", body: { orderId: "g" } },
    { service: "flight", path: "/bookings?reference=f" },
    { service: "flight", path: "/bookings", key: "f4", body: { reference: "f" } },
    { service: "flight", path: "/bookings", key: "f4", body: { reference: "f" } },
  ];
  const statuses = async (ask: Ask) => {
    const answers: unknown[] = [];
    for (const one of asked) {
      const { status, retryAfter, body } = await ask(one);
      answers.push([status, retryAfter, status >= 300 ? (body["code"] ?? "a page") : null]);
    }
    return answers;
  };
  const local = (await statuses(overHttp)) as [number, string | null, string | null][];
  expect(await statuses(world)).toEqual(local);
  expect(local.map(([status]) => status)).toEqual([503, 201, 409, 202, 503, 201, 429, 429, 201]);
});
