// Unique secrets stand wherever one can stand; then everything that each role, the console and the log can see is searched for them. And whoever has no
// right changes nothing: no store, no queue, no metric series.
import { randomUUID } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { PART_NAMES } from "@scheduler-agent-supervisor/local/stack/parts";
import { openTraces } from "@scheduler-agent-supervisor/local/traces/trace-file";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { openBrowser, openPage } from "../console/browser.ts";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER, THREE_STEPS } from "../support/orders.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const data = mkdtempSync(join(tmpdir(), "canaries-"));
const JSON_TYPE = { "content-type": "application/json" };
const REQUESTS = "agent-requests-fraud";
/** Of a busy machine. */
const PATIENCE = { timeout: 20_000 };

/** Secrets that no role but `Jobs.ReadData` may see. */
const tokens = new Set<string>();
/** Secrets that nobody may see. */
const credentials = new Set<string>();
const canary = (into: Set<string>) => {
  const made = `tok-${randomUUID()}`;
  into.add(made);
  return made;
};

let service: Server;
let adapted: AdaptedApp;
let app: TestStack;
let host: string;
const said: string[] = [];
const reportTo = new Map<string, string>();

beforeAll(async () => {
  // Payment repeats the token wherever it can; the carrier repeats the address that it was given.
  service = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8") || "{}";
    const { orderId = "", token = "", reportTo: url = "" } = JSON.parse(body) as Record<string, string>;
    if (url) reportTo.set(orderId, url);
    const isCharge = request.url?.endsWith("/charges") === true;
    const isAccepted = url !== "" && orderId.startsWith("waits-");
    response.writeHead(isAccepted ? 202 : isCharge ? 402 : 422, JSON_TYPE);
    response.end(
      JSON.stringify({ id: `S-${url}`.slice(0, 200), message: `${token} of ${url}: ${encodeURIComponent(token)}` }),
    );
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
  const { port } = service.address() as { port: number };
  adapted = adaptApp([THREE_STEPS, CARRIER, ...orderFulfilment]);
  app = await startTestStack({
    data,
    parts: PART_NAMES,
    appDir: adapted.dir,
    log: (line) => said.push(line),
    appSettings: {
      ...{ OperatorSignIn: "entra", WEBSITE_AUTH_ENABLED: "True" },
      ...{ PaymentEndpoints: `http://127.0.0.1:${port}/`, ShippingEndpoints: `http://127.0.0.1:${port}/` },
      ...{ OTEL_METRIC_EXPORT_INTERVAL: "500", OTEL_BSP_SCHEDULE_DELAY: "200" },
      // What changes by itself would hide what a request changes.
      SupervisorSchedule: "0 0 0 1 1 *",
      "AzureWebJobs.fraudQueueAgent.Disabled": "true",
    },
  });
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  service?.close();
  rmSync(data, { recursive: true, force: true });
});

const principal = (...roles: string[]) => {
  const claims = roles.map((val) => ({ typ: "roles", val }));
  return {
    "x-ms-client-principal": Buffer.from(JSON.stringify({ claims })).toString("base64"),
    "x-ms-client-principal-name": "ada@example.com",
  };
};

const get = async (path: string, role: string) => (await fetch(`${host}/${path}`, { headers: principal(role) })).text();

const post = (path: string, headers: Record<string, string>, body: object) =>
  fetch(`${host}/${path}`, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });

/** The nonce in an address for reports. */
function nonceOf(url: string): string {
  const address = Buffer.from(url.slice(url.lastIndexOf("/") + 1), "base64url").toString("utf8");
  return (JSON.parse(address) as { nonce: string }).nonce;
}

async function send(queue: string, ...messages: { body: unknown; messageId?: string }[]): Promise<void> {
  const sender = app.bus.createSender(queue);
  await sender.sendMessages(messages);
  await sender.close();
}

/** A request to an agent that nobody takes: it is moved to the dead letters with what opens its step. */
async function deadLetterRequest(): Promise<{ nonce: string; jobId: string }> {
  const receiver = app.bus.createReceiver(REQUESTS);
  try {
    const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 20_000 });
    if (!message) throw new Error("nobody was asked");
    await receiver.deadLetterMessage(message);
    return message.body.ticket as { nonce: string; jobId: string };
  } finally {
    await receiver.close();
  }
}

interface Listed {
  readonly sequenceNumber: string;
  readonly messageId: string | null;
}

async function lettersIn(queue: string): Promise<readonly Listed[]> {
  const page = await get(`api/dead-letters?queue=${queue}&limit=100`, "Jobs.Read");
  return (JSON.parse(page) as { messages: readonly Listed[] }).messages;
}

test("no secret is seen by a role that may not, in the console or in the log", async () => {
  const order = { ...madeOrder("quarantined"), currency: "euro" };
  const { paymentToken: _, ...bare } = order;
  const spelt = (name: string) => ({ ...bare, [name]: canary(tokens) });
  const repeated = canary(tokens);
  const bodies = [
    spelt("paymentToken"),
    spelt("PaymentToken"),
    spelt("payment_token"),
    spelt("note"),
    { ...bare, [canary(tokens)]: 1 },
    { ...bare, customer: { id: "c", [canary(tokens)]: 1 } },
    { ...bare, customer: canary(tokens) },
    { ...bare, customer: { id: `paymentToken: ${canary(tokens)}` } },
    { ...order, paymentToken: repeated, lines: [{ sku: `TEA ${repeated}`, quantity: 1, unitPrice: 1 }] },
    `{"paymentToken":"${canary(tokens)}"`,
    JSON.stringify({ ...bare, paymentToken: canary(tokens) }),
  ];
  await send("orders", ...bodies.map((body, at) => ({ body, messageId: `quarantined-${at}` })));
  const forged = { ticket: { jobId: "none", nonce: canary(credentials) }, kind: "done", result: 7 };
  await send("agent-replies", { body: forged, messageId: "reply" });

  await app.shop.send({ ...madeOrder("pays"), paymentToken: canary(tokens) });
  await app.shop.send({ ...madeOrder("waits-1"), workflow: "carrier", paymentToken: canary(tokens) });
  await app.shop.send({ ...madeOrder("rejected-1"), workflow: "carrier", paymentToken: canary(tokens) });
  const planted = await deadLetterRequest();
  credentials.add(planted.nonce);
  const failed = await app.eventually("pays", ({ steps }) =>
    Object.values(steps).some(({ state }) => state === "Failed"),
  );
  expect(JSON.stringify(failed.steps)).toContain("(hidden)");
  await app.eventually("waits-1", ({ steps }) => steps["arrangeShipping"]?.state === "Awaiting");
  await app.eventually("rejected-1", ({ steps }) => steps["arrangeShipping"]?.state === "Failed");
  for (const url of reportTo.values()) {
    credentials.add(nonceOf(url));
    credentials.add(url.slice(url.lastIndexOf("/") + 1));
  }
  expect(reportTo.size).toBe(2);
  await expect.poll(async () => (await lettersIn("quarantine")).length, PATIENCE).toBe(bodies.length + 1);

  // One of them is discarded: its copy is shown elsewhere.
  const letters = await lettersIn("quarantine");
  const place = `api/dead-letters/quarantine/${letters[0]?.sequenceNumber}/discard`;
  expect((await post(place, principal("Jobs.Operate"), { reason: "planted" })).status).toBe(200);
  const { discarded } = JSON.parse(await get("api/discarded-messages", "Jobs.Read")) as { discarded: { id: string }[] };
  const asked = await lettersIn(`${REQUESTS}`);
  expect(asked).toHaveLength(1);

  const lists = ["overview", "traffic", "agents", "held-up", "attention", "jobs", "awaiting", "dead-letters", "claims"];
  const more = ["bulk", "supervisor", "supervisor/entries", "discarded-messages", "workflows", "openapi.json"];
  const paths = [
    ...[...lists, ...more].map((path) => `api/${path}`),
    ...["quarantine", REQUESTS].map((queue) => `api/dead-letters?queue=${queue}&limit=100`),
    ...letters.map(({ sequenceNumber }) => `api/dead-letters/quarantine/${sequenceNumber}`),
    ...asked.map(({ sequenceNumber }) => `api/dead-letters/${REQUESTS}/${sequenceNumber}`),
    ...discarded.map(({ id }) => `api/discarded-messages/${id}`),
    ...["pays", "waits-1", "rejected-1"].flatMap((id) => [
      `api/jobs/${id}`,
      `api/jobs/${id}/audit`,
      `api/jobs?q=${id}`,
    ]),
  ];
  for (const path of paths) {
    for (const role of ["Jobs.Read", "Jobs.Operate"]) {
      const shown = await get(path, role);
      for (const secret of [...tokens, ...credentials])
        expect(shown.includes(secret), `${secret} in ${path}`).toBe(false);
    }
    const shown = await get(path, "Jobs.ReadData");
    for (const secret of credentials) {
      // What a stranger has put into a message is no credential of the app's.
      if (!shown.includes('"none"'))
        expect(shown.includes(secret), `${secret} in ${path}, to Jobs.ReadData`).toBe(false);
    }
  }
  const one = await get(`api/dead-letters/quarantine/${letters[1]?.sequenceNumber}`, "Jobs.ReadData");
  expect([...tokens].some((token) => one.includes(token))).toBe(true);

  await using browser = await openBrowser();
  const { page } = await openPage(browser, { extraHTTPHeaders: principal("Jobs.Operate") });
  const views = [
    "",
    "overview",
    "search",
    "dead-letters",
    "dead-letters/quarantine",
    "awaiting",
    "discarded",
    "supervision",
  ];
  const single = letters.slice(1).map(({ sequenceNumber }) => `dead-letters/quarantine/${sequenceNumber}`);
  const jobs = ["jobs/pays", "jobs/waits-1", "jobs/rejected-1", `discarded/${discarded[0]?.id}`];
  for (const view of [...views, ...single, ...jobs, `dead-letters/${REQUESTS}/${asked[0]?.sequenceNumber}`]) {
    await page.goto(`${host}/console/${view}`);
    await page.waitForLoadState("networkidle");
    const shown = await page.content();
    for (const secret of [...tokens, ...credentials])
      expect(shown.includes(secret), `${secret} in /${view}`).toBe(false);
  }

  const kept = ["logs", "traces"].map((part) => {
    const files = globSync("**/*", { cwd: join(data, part), withFileTypes: true }).filter((file) => file.isFile());
    return { part, text: files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n") };
  });
  for (const { part, text } of [...kept, { part: "output", text: said.join("\n") }]) {
    expect(text.length, part).toBeGreaterThan(0);
    for (const secret of [...tokens, ...credentials]) expect(text.includes(secret), `${secret} in ${part}`).toBe(false);
  }
}, 120_000);

describe("who has no right", () => {
  /** All that is stored, waiting or measured. */
  async function everything() {
    const database = new CosmosClient(app.settings["Cosmos"] ?? "").database("orders");
    const { resources: containers } = await database.containers.readAll().fetchAll();
    const documents: Record<string, unknown> = {};
    for (const { id } of containers) {
      const { resources } = await database.container(id).items.query("SELECT * FROM c ORDER BY c._ts").fetchAll();
      documents[id] = resources.map((one: { id: string; _etag: string }) => `${one.id} ${one._etag}`).sort();
    }
    const queues: Record<string, number> = {};
    for (const queue of ["orders", "orders-priority", "scheduler", "quarantine", "agent-replies", REQUESTS])
      queues[queue] = (await messagesIn(app.bus, queue).catch(() => [])).length;
    return { documents, queues };
  }

  function series(): string[] {
    const reader = openTraces(join(data, "traces"));
    try {
      return (reader?.points() ?? []).map(({ metric, attributes }) => `${metric} ${JSON.stringify(attributes)}`).sort();
    } finally {
      reader?.close();
    }
  }

  const pick = <T>(among: readonly T[]): T => among[Math.floor(Math.random() * among.length)] as T;

  /** An address that the app has not given to anybody. */
  function madeUp(nonce: string): string {
    const jobId = pick(["pays", "waits-1", `order-${randomUUID()}`, "../x", "x".repeat(3000)]);
    const step = pick(["arrangeShipping", "checkFraud", "takePayment", `step-${randomUUID()}`, "__proto__"]);
    const nonces = pick([{}, { nonce: "guessed" }, { nonce: randomUUID() }, { nonce }, { nonce: { toString: 1 } }]);
    // A nonce that a request over a queue had opens nothing here; any real one fits its own step alone.
    const own = "nonce" in nonces && nonces.nonce === nonce ? { jobId: "pays", step: "checkFraud" } : { jobId, step };
    const address = { ...own, direction: pick(["forward", "compensate"]), ...nonces };
    return pick([Buffer.from(JSON.stringify(address)).toString("base64url"), randomUUID(), "!!!", "%2e%2e"]);
  }

  const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

  /** Every HTTP route of the app but that of reports and the console's files, as the host lists them: a new one is tried by itself. */
  async function routes(): Promise<readonly string[]> {
    const listed = (await (await fetch(`${host}/admin/functions`)).json()) as { invokeUrlTemplate?: string }[];
    const paths = listed.flatMap(({ invokeUrlTemplate: url }) => (url ? [url.slice(host.length + 1)] : []));
    const own = paths.filter((path) => path.startsWith("api/") && !path.startsWith("api/completions"));
    const named = { jobId: "waits-1", step: "arrangeShipping", queue: "quarantine", sequenceNumber: "1" };
    return own.map((path) => path.replace(/\{(\w+)\}/g, (_, name: keyof typeof named) => named[name] ?? "x"));
  }

  /** Whoever may not read, and for what changes something whoever may only read. */
  const withoutRight = (method: string) => [
    ...[
      {},
      principal(),
      principal("Shop.Manager"),
      { "x-ms-client-principal": "e30=" },
      { "x-functions-key": "guessed" },
    ],
    ...(method === "GET" ? [] : [principal("Jobs.Read"), principal("Jobs.ReadData"), principal("jobs.operate")]),
  ];

  test("changes no store and no queue, and makes no metric series of its own", async () => {
    const { jobId, nonce } = ((await messagesIn(app.bus, REQUESTS, { subQueueType: "deadLetter" }))[0]?.body.ticket ??
      {}) as { jobId: string; nonce: string };
    expect(nonce).toBeTypeOf("string");
    const before = await everything();
    const known = new Set(series());
    const bodies = [
      { kind: "done", result: {} },
      { kind: "rejected", message: randomUUID() },
      { kind: "progress" },
      {},
    ];
    for (let time = 0; time < 150; time += 1) {
      const response = await post(`api/completions/${madeUp(nonce)}`, {}, pick(bodies));
      expect([400, 404, 409, 503]).toContain(response.status);
    }
    // By HTTP, with the very nonce of a request that went over a queue.
    const address = { jobId, step: "checkFraud", direction: "forward", nonce };
    const stolen = Buffer.from(JSON.stringify(address)).toString("base64url");
    const taken = await post(`api/completions/${stolen}`, {}, { kind: "done", result: { checkId: "forged" } });
    // The first time nobody knows it yet.
    expect(taken.status).toBe(503);
    const large = await fetch(`${host}/api/completions/${stolen}`, { method: "POST", body: "x".repeat(70_000) });
    expect(large.status).toBe(413);
    const body = { reason: "no right", change: { kind: "claim" }, target: { kind: "job", id: "waits-1" } };
    const paths = await routes();
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) {
      for (const method of METHODS) {
        for (const headers of withoutRight(method)) {
          const sent = method === "GET" ? {} : { body: JSON.stringify(body) };
          const response = await fetch(`${host}/${path}`, { method, headers: { ...JSON_TYPE, ...headers }, ...sent });
          await response.arrayBuffer();
          // 404: the route has no such method.
          expect([401, 403, 404, 405], `${method} ${path} ${JSON.stringify(headers)}`).toContain(response.status);
        }
      }
    }
    // On the bus, without the nonce of a request.
    const tickets = ["pays", "waits-1", randomUUID()].flatMap((id) =>
      ["checkFraud", "arrangeShipping", "__proto__", randomUUID()].map((step) => {
        return { jobId: id, attempt: 1, step, direction: "forward", lockedBy: randomUUID(), nonce: randomUUID() };
      }),
    );
    await send(
      "agent-replies",
      ...tickets.map((ticket) => ({ body: { ticket, kind: "rejected", message: "forged" } })),
    );
    await expect.poll(async () => (await messagesIn(app.bus, "agent-replies")).length, PATIENCE).toBe(0);
    expect(await everything()).toEqual(before);
    const isNew = () => series().filter((one) => !known.has(one));
    for (const counter of ["completions.rejected", "replies.unverified"])
      await expect.poll(isNew, PATIENCE).toContainEqual(expect.stringMatching(`^${counter} `));
    expect(isNew().map((one) => one.split(" ")[0])).toEqual(["completions.rejected", "replies.unverified"]);
  }, 300_000);

  test("and what an operator claims or notes is in the job's audit log", async () => {
    const body = { target: { kind: "job", id: "waits-1" } };
    const operator = principal("Jobs.Operate");
    expect((await post("api/claims", operator, { ...body, change: { kind: "claim" } })).status).toBe(200);
    expect((await post("api/claims", operator, { ...body, change: { kind: "note", text: "rang them" } })).status).toBe(
      412,
    );
    const { entries } = JSON.parse(await get("api/jobs/waits-1/audit", "Jobs.Read")) as { entries: object[] };
    expect(entries).toMatchObject([
      { action: "note", operator: "ada@example.com", reason: "rang them", outcome: expect.stringMatching(/^rejected/) },
      { action: "claim", operator: "ada@example.com", outcome: "done" },
    ]);
  });
});
