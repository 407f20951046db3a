// The simulated services over real HTTP: idempotency, compensation of unknown outcomes, faults, the list of effects.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RemoteService } from "./definition.ts";
import type { Effect } from "./effect-log.ts";
import { FAULT_HEADERS } from "./fault-key.ts";
import { type RunningRemotes, startRemotes } from "./start.ts";

const SERVICES: RemoteService[] = [
  {
    name: "inventory",
    resources: [{ path: "/reservations", idPrefix: "res", actions: ["release"], echo: ["orderId"] }],
  },
  {
    name: "payment",
    resources: [{ path: "/payments", idPrefix: "pay", actions: [{ name: "refund", status: "given-back" }] }],
  },
  {
    name: "flights",
    keys: false,
    resources: [
      { path: "/bookings", idPrefix: "fl", actions: [{ name: "cancel", status: "cancelled" }], echo: ["reference"] },
    ],
  },
];

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** What the services' answers may have in them. */
  readonly body: {
    readonly id: string;
    readonly effects: Effect[];
    readonly faults: readonly { readonly id: string }[];
    readonly exists: readonly string[];
    readonly slowed: number;
  };
}

let data: string;
let remotes: RunningRemotes;
let inventory: string;
let payment: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "remotes-"));
  await start();
});

afterEach(async () => {
  await remotes.close();
  await rm(data, { recursive: true });
});

async function start(): Promise<void> {
  remotes = await startRemotes({ services: SERVICES, data });
  inventory = urlOf("inventory");
  payment = urlOf("payment");
}

function urlOf(name: string): string {
  return remotes.services.find((service) => service.name === name)?.url ?? "";
}

async function call(method: string, url: string, body?: unknown, key?: string): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...FAULT_HEADERS, ...(key === undefined ? {} : { "Idempotency-Key": key }) },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

const reserve = (key: string, body: object = { orderId: "o-1" }) =>
  call("POST", `${inventory}/reservations`, body, key);
const release = (id: string, key: string) =>
  call("POST", `${inventory}/reservations/${encodeURIComponent(id)}/release`, {}, key);
const switchOn = (fault: object) => call("POST", `${inventory}/$faults`, fault);

async function effects(query = ""): Promise<Effect[]> {
  return (await call("GET", `${inventory}/$effects${query}`)).body.effects;
}

describe("a create", () => {
  test("answers 201 with an id, a status and the fields to echo", async () => {
    const made = await reserve("o-1:reserve:forward", { orderId: "o-1", items: [1] });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ id: expect.stringMatching(/^res-[0-9a-f]{12}$/), status: "created", orderId: "o-1" });
    expect(made.headers.get("Idempotent-Replay")).toBeNull();
  });

  test("with the same key has one effect and the same answer, however the body is written", async () => {
    const first = await reserve("k", { orderId: "o-1", n: 1 });
    const again = await reserve("k", { n: 1, orderId: "o-1" });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get("Idempotent-Replay")).toBe("true");
    expect(await effects()).toEqual([
      {
        key: "k",
        path: "/reservations",
        id: first.body.id,
        action: "create",
        calls: 2,
        at: expect.any(String),
        body: { orderId: "o-1", n: 1 },
      },
    ]);
  });

  test("sent twice at once has one effect", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve("k")));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await effects()).toMatchObject([{ calls: 20 }]);
  });

  test("with the same key and another body is refused", async () => {
    await reserve("k");
    expect(await reserve("k", { orderId: "o-2" })).toMatchObject({ status: 422, body: { code: "key-reused" } });
    expect(await effects()).toMatchObject([{ calls: 2, body: { orderId: "o-1" } }]);
  });

  test("without key and with a bad body is told both", async () => {
    const answer = await call("POST", `${inventory}/reservations`, "[not json");
    expect(answer).toMatchObject({
      status: 400,
      body: { faults: ["the header Idempotency-Key is missing", "the body has to be a JSON object"] },
    });
  });

  test("under the same key at another service is its own", async () => {
    await reserve("k");
    const paid = await call("POST", `${payment}/payments`, { orderId: "o-1" }, "k");
    expect(paid).toMatchObject({ status: 201, body: { status: "created" } });
    expect(await effects()).toHaveLength(1);
  });
});

describe("an action", () => {
  test("answers the id and its status, once for each key", async () => {
    const { body } = await reserve("k");
    expect(await release(body.id, "u")).toMatchObject({ status: 200, body: { id: body.id, status: "released" } });
    expect((await release(body.id, "u")).headers.get("Idempotent-Replay")).toBe("true");
    expect(await effects()).toMatchObject([{ action: "create" }, { action: "release", id: body.id, calls: 2 }]);
  });

  test("may have a status of its own and no body", async () => {
    const { body } = await call("POST", `${payment}/payments`, {}, "k");
    const refund = await call("POST", `${payment}/payments/${body.id}/refund`, undefined, "u");
    expect(refund.body).toEqual({ id: body.id, status: "given-back" });
  });

  test("finds what a key created", async () => {
    const { body } = await reserve("o-1:reserve:forward");
    const compensated = await release("key:o-1:reserve:forward", "u");
    expect(compensated).toMatchObject({ status: 200, body: { id: body.id, status: "released" } });
    expect((await release(body.id, "u")).headers.get("Idempotent-Replay")).toBe("true");
  });

  test("on a key that created nothing leaves a tombstone", async () => {
    expect(await release("key:k", "u")).toMatchObject({ status: 200, body: { status: "nothing-to-compensate" } });
    expect(await reserve("k")).toMatchObject({ status: 409, body: { code: "already-undone" } });
    expect((await release("key:k", "u")).body).toEqual({ status: "nothing-to-compensate" });
    expect(await effects()).toEqual([]);
  });

  test("on an unknown id, or with the key of the create, changes nothing", async () => {
    expect(await release("res-0", "u")).toMatchObject({ status: 404, body: { code: "not-found" } });
    const { body } = await reserve("k");
    expect(await release(body.id, "k")).toMatchObject({ status: 422 });
    expect(await effects()).toHaveLength(1);
  });
});

describe("a service without keys", () => {
  const flights = () => urlOf("flights");
  const book = (reference: string) => call("POST", `${flights()}/bookings`, { reference }, "k");
  const booked = (reference: string) => call("GET", `${flights()}/bookings?reference=${reference}`);

  test("does what it is asked as often as it is asked", async () => {
    const [first, second] = [await book("o-1"), await book("o-1")];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body.id).not.toBe(second.body.id);
  });

  test("can be asked what it did under a reference, and what became of it", async () => {
    expect(await booked("o-1")).toMatchObject({ status: 200, body: { items: [] } });
    const [{ body: one }] = [await book("o-1"), await book("o-2")];
    expect((await booked("o-1")).body).toEqual({ items: [{ id: one.id, reference: "o-1", status: "created" }] });
    await call("POST", `${flights()}/bookings/${one.id}/cancel`);
    expect((await booked("o-1")).body).toEqual({ items: [{ id: one.id, reference: "o-1", status: "cancelled" }] });
  });

  test("is not asked while it is down, but while it is slow", async () => {
    await call("POST", `${flights()}/$faults`, { kind: "slow", delayMs: 60_000 });
    expect((await booked("o-1")).status).toBe(200);
    await call("POST", `${flights()}/$faults`, { kind: "down", calls: 1 });
    expect((await booked("o-1")).status).toBe(503);
    expect((await booked("o-1")).status).toBe(200);
  });
});

test("an unknown path answers what exists", async () => {
  for (const path of ["/reservation", "/reservations/res-1/refund", "/reservations/res-1", "/$fault"]) {
    const answer = await call("POST", `${inventory}${path}`, {}, "k");
    expect(answer, path).toMatchObject({ status: 404, body: { code: "no-such-path" } });
    expect(answer.body.exists).toContain("POST /reservations/*/release");
  }
});

describe("a fault", () => {
  test("down answers 503 for so many calls, then is gone", async () => {
    await switchOn({ kind: "down", calls: 2, retryAfterS: 7 });
    const down = await reserve("k");
    expect(down).toMatchObject({ status: 503, body: { code: "service-down" } });
    expect(down.headers.get("Retry-After")).toBe("7");
    expect((await reserve("k")).status).toBe(503);
    expect((await reserve("k")).status).toBe(201);
    expect(await effects()).toMatchObject([{ calls: 3 }]);
    expect((await call("GET", `${inventory}/$faults`)).body).toEqual({ faults: [] });
  });

  test("acts only on the body, the path and the service that it names", async () => {
    const { body } = await reserve("k0");
    await switchOn({ kind: "down", match: { orderId: "o-1" }, path: "/reservations" });
    expect((await reserve("k1", { orderId: "o-2" })).status).toBe(201);
    expect((await reserve("k2", { orderId: "o-1" })).status).toBe(503);
    expect((await call("POST", `${payment}/payments`, { orderId: "o-1" }, "k")).status).toBe(201);
    expect((await release(body.id, "u")).status).toBe(200);
  });

  test("ends with its time", async () => {
    await switchOn({ kind: "down", forMs: 80 });
    expect((await reserve("k")).status).toBe(503);
    await expect.poll(async () => (await reserve("k")).status).toBe(201);
  });

  test("refuse has no effect, spares what took effect, and ends when it is removed", async () => {
    const before = await reserve("old");
    const { body: fault } = await switchOn({ kind: "reject", status: 402, code: "card-declined", message: "No." });
    expect(await reserve("k")).toMatchObject({ status: 402, body: { code: "card-declined", message: "No." } });
    expect((await reserve("old")).body).toEqual(before.body);
    expect(await effects()).toHaveLength(1);
    expect((await call("DELETE", `${inventory}/$faults/${fault.id}`)).body).toEqual({ removed: 1 });
    expect((await call("DELETE", `${inventory}/$faults/${fault.id}`)).status).toBe(404);
    expect((await reserve("k")).status).toBe(201);
  });

  test("slow works after its delay, and closing does not wait for it", async () => {
    await switchOn({ kind: "slow", delayMs: 150, calls: 1 });
    const began = performance.now();
    expect((await reserve("k")).status).toBe(201);
    expect(performance.now() - began).toBeGreaterThan(145);
    await switchOn({ kind: "slow", delayMs: 60_000 });
    const late = reserve("k2");
    await expect.poll(async () => (await call("GET", `${inventory}/$counts`)).body.slowed).toBe(2);
    await remotes.close();
    expect((await late).status).toBe(201);
    await start();
  });

  test("loseReply takes effect and drops the connection", async () => {
    await switchOn({ kind: "loseReply", calls: 1 });
    await expect(reserve("k")).rejects.toThrow("fetch failed");
    const again = await reserve("k");
    expect(again.headers.get("Idempotent-Replay")).toBe("true");
    expect(await effects()).toMatchObject([{ id: again.body.id, calls: 2 }]);
  });

  test("gateway takes effect, and a page stands in the place of the answer; 303 leads to what was made", async () => {
    const asking = (key: string) =>
      fetch(`${inventory}/reservations`, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ orderId: "order-1" }),
      });
    await switchOn({ kind: "gateway", calls: 1 });
    const page = await asking("k");
    expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/html"]);
    await switchOn({ kind: "gateway", status: 303, calls: 1 });
    const led = await asking("l");
    const made = (await effects()) as { readonly id: string }[];
    expect([led.status, led.headers.get("location")]).toEqual([303, `/reservations/${made.at(-1)?.id}`]);
    expect(made).toHaveLength(2);
  });

  test("accept takes effect and says that it is done later; asked for it by its id, it is there", async () => {
    await switchOn({ kind: "accept", calls: 1, retryAfterS: 3 });
    const accepted = await reserve("k");
    expect([accepted.status, accepted.headers.get("Retry-After")]).toEqual([202, "3"]);
    const again = await reserve("k");
    expect([again.status, again.body.id]).toEqual([201, accepted.body.id]);
    const { id } = accepted.body;
    expect(await call("GET", `${inventory}/reservations/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect(await call("GET", `${inventory}/reservations/res-0`)).toMatchObject({ status: 404 });
    await switchOn({ kind: "down", calls: 1 });
    expect((await call("GET", `${inventory}/reservations/${id}`)).status).toBe(503);
  });

  test("of several the slow ones delay and one other decides", async () => {
    await switchOn({ kind: "slow", delayMs: 50 });
    await switchOn({ kind: "reject" });
    await switchOn({ kind: "down" });
    const began = performance.now();
    expect((await reserve("k")).status).toBe(503);
    expect(performance.now() - began).toBeGreaterThan(45);
    expect((await call("DELETE", `${inventory}/$faults`)).body).toEqual({ removed: 3 });
  });

  test("with a bad body is told everything that is wrong", async () => {
    const answer = await switchOn({
      kind: "reject",
      calls: 0,
      match: [],
      delayMs: 5,
      path: "/nope",
      status: 500,
      x: 1,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.faults).toHaveLength(6);
    expect((await switchOn({ kind: "slow" })).body.faults).toEqual(["delayMs is missing: slow needs it"]);
    expect((await switchOn({})).body.faults[0]).toContain("kind is missing");
    expect((await switchOn({ kind: "gone" })).body.faults[0]).toContain("kind has to be one of down");
  });
});

test("the list of effects filters by fields of the body, and the counts are numbers", async () => {
  await reserve("k1", { orderId: "o-1", lines: 2 });
  await reserve("k2", { orderId: "o-2", lines: 2 });
  expect(await effects("?orderId=o-2")).toMatchObject([{ key: "k2" }]);
  expect(await effects("?lines=2")).toHaveLength(2);
  expect(await effects("?lines=2&orderId=o-1")).toMatchObject([{ key: "k1" }]);
  const counts = (await call("GET", `${inventory}/$counts`)).body;
  expect(counts).toMatchObject({ requests: 2, effects: 2, replays: 0, commits: expect.any(Number) });
});

describe("the start", () => {
  test("names every fault of the definition", async () => {
    const twice = { path: "/a", idPrefix: "a", actions: ["create"], returns: { id: 1 } };
    const services = [
      { name: "s", port: 7, resources: [twice, twice] },
      { name: "s", port: 7, resources: [twice] },
    ];
    await expect(startRemotes({ services, data })).rejects.toThrow(
      /two services are called s.*two services want port 7.*two resources have the path \/a.*"id" is not free in returns.*"create" is not free/,
    );
  });

  test("rejects with the busy port and leaves the others", async () => {
    const port = remotes.services[1]?.port ?? 0;
    const services = SERVICES.map((service, index) => (index === 1 ? { ...service, port } : service));
    await expect(startRemotes({ services, data: join(data, "other") })).rejects.toMatchObject({
      code: "EADDRINUSE",
      port,
    });
  });
});

test("kill -9 loses no acknowledged effect, no call count, no tombstone and no fault", async () => {
  await remotes.close();
  const script = `
    const { startRemotes } = await import(${JSON.stringify(new URL("./start.ts", import.meta.url).href)});
    const [services, data] = process.argv.slice(1);
    console.log(JSON.stringify(await startRemotes({ services: JSON.parse(services), data })));`;
  const child = spawn(
    process.execPath,
    ["--no-warnings", "--input-type=module", "-e", script, JSON.stringify(SERVICES), data],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  inventory = JSON.parse(line).services[0].url;
  await release("key:buried", "u");
  await reserve("k-0");
  await switchOn({ kind: "down", calls: 3, match: { orderId: "unlucky" } });
  await reserve("unlucky", { orderId: "unlucky" });

  const acknowledged = new Map<string, string>([["k-0", (await reserve("k-0")).body.id]]);
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    for (let n = 1; ; n++) {
      const made = await reserve(`k-${sender}-${n}`).catch(() => undefined);
      if (!made) return;
      acknowledged.set(`k-${sender}-${n}`, made.body.id);
      if (acknowledged.size === 300) child.kill("SIGKILL");
    }
  });
  await Promise.all(senders);

  await start();
  const made = await effects();
  const ids = new Map(made.map(({ key, id }) => [key, id]));
  for (const [key, id] of acknowledged) expect(ids.get(key), key).toBe(id);
  expect(made.find(({ key }) => key === "k-0")?.calls).toBe(2);
  expect((await reserve("buried")).status).toBe(409);
  expect((await call("GET", `${inventory}/$faults`)).body.faults).toMatchObject([{ kind: "down", callsLeft: 2 }]);
});
