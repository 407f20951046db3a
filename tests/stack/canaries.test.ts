// Unique secrets stand wherever one can stand; then everything that each role, the console and the log can see is searched for them. And whoever has no
// right changes nothing: no store, no queue, no metric series.
import { randomUUID } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BlobServiceClient } from "@azure/storage-blob";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import {
  ATTACKS,
  expectNone,
  makeCanary,
  nonceOf,
  pathsOf,
  startTalkativeService,
  type TalkativeService,
} from "../support/canary.ts";
import { shownByConsole } from "../support/console-walk.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER, THREE_STEPS } from "../support/orders.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { containerOf } from "../support/store.ts";
import { NEVER, startTestStack, type TestStack, UNCOUNTED } from "../support/test-stack.ts";
import { metricSeries, wholeState } from "../support/whole-state.ts";

const data = mkdtempSync(join(tmpdir(), "canaries-"));
const JSON_TYPE = { "content-type": "application/json" };
const REQUESTS = "agent-requests-fraud";
/** Of a busy machine. */

/** Secrets that no role but `Jobs.ReadData` may see. */
const tokens = new Set<string>();
/** Secrets that nobody may see. */
const credentials = new Set<string>();
const canary = (into: Set<string>) => {
  const made = makeCanary();
  into.add(made);
  return made;
};

let service: TalkativeService;
let adapted: AdaptedApp;
let app: TestStack;
let host: string;
const said: string[] = [];

beforeAll(async () => {
  service = await startTalkativeService();
  adapted = adaptApp([THREE_STEPS, CARRIER, ...orderFulfilment]);
  app = await startTestStack({
    data,
    parts: PART_NAMES,
    appDir: adapted.dir,
    log: (line) => said.push(line),
    appSettings: {
      ...{ OperatorSignIn: "entra", WEBSITE_AUTH_ENABLED: "True" },
      ...{ PaymentEndpoints: service.url, ShippingEndpoints: service.url },
      ...{ OTEL_METRIC_EXPORT_INTERVAL: "500", OTEL_BSP_SCHEDULE_DELAY: "200" },
      // What changes by itself would hide what a request changes.
      ...UNCOUNTED,
      SupervisorSchedule: NEVER,
      ...{ EndedJobsKeptFor: "P1D", JobArchive: "archive" },
      "AzureWebJobs.fraudQueueAgent.Disabled": "true",
    },
  });
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  await service?.[Symbol.asyncDispose]();
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

async function send(queue: string, ...messages: { body: unknown; messageId?: string }[]): Promise<void> {
  const sender = app.bus.createSender(queue);
  await sender.sendMessages(messages);
  await sender.close();
}

/** A request to an agent that nobody takes: it is moved to the dead letters with what opens its step. */
async function deadLetterRequest(): Promise<Ticket> {
  const receiver = app.bus.createReceiver(REQUESTS);
  try {
    const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 20_000 });
    if (!message) throw new Error("nobody was asked");
    await receiver.deadLetterMessage(message);
    return message.body.ticket as Ticket;
  } finally {
    await receiver.close();
  }
}

interface Ticket {
  readonly nonce: string;
  readonly jobId: string;
}

interface Listed {
  readonly sequenceNumber: string;
  readonly messageId: string | null;
  readonly jobId: string | null;
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
  const whole = (id: string) => ({ ...madeOrder(id), paymentToken: canary(tokens) });
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
    // Valid but for where they repeat their token.
    { ...madeOrder("in-text"), paymentToken: repeated, customer: { id: `c-${repeated}` } },
    { ...madeOrder("in-id"), paymentToken: repeated, orderId: repeated },
  ].map((body, at) => ({ body, messageId: `quarantined-${at}` }));
  const valid = { ...madeOrder("in-properties"), paymentToken: repeated };
  const around = [
    { body: valid, messageId: `m-${repeated}` },
    { body: valid, messageId: "quarantined-c", correlationId: `c-${repeated}` },
  ];
  await send("jobs", ...bodies, ...around);
  const forged = { ticket: { jobId: "none", nonce: canary(credentials) }, kind: "done", result: 7 };
  await send("agent-replies", { body: forged, messageId: "reply" });

  const pays = whole("pays");
  const carried = ["waits-1", "rejected-1", "away-1", "odd-1"];
  await app.shop.send(pays);
  for (const id of carried) await app.shop.send({ ...whole(id), workflow: "carrier" });
  const planted = await deadLetterRequest();
  credentials.add(planted.nonce);
  // An agent of another team that repeats the token in a reply that can't be read.
  const unread = { ticket: planted, kind: "rejected", message: `no ${pays.paymentToken}`, outcomeUnknown: "maybe" };
  await send("agent-replies", { body: unread, messageId: "unread" });
  const failed = await app.eventually("pays", ({ steps }) =>
    Object.values(steps).some(({ state }) => state === "Failed"),
  );
  expect(JSON.stringify(failed.steps)).toContain("(hidden)");
  await app.eventually("waits-1", ({ steps }) => steps["arrangeShipping"]?.state === "Awaiting");
  await app.eventually("rejected-1", ({ steps }) => steps["arrangeShipping"]?.state === "Failed");
  for (const id of ["away-1", "odd-1"]) await app.eventually(id, ({ steps }) => !!steps["arrangeShipping"]?.expiry);
  const { reportTo } = service;
  for (const url of reportTo.values()) {
    credentials.add(nonceOf(url));
    credentials.add(url.slice(url.lastIndexOf("/") + 1));
  }
  expect(reportTo.size).toBe(carried.length);
  const inQuarantine = bodies.length + around.length + 2;
  await expect.poll(async () => (await lettersIn("quarantine")).length).toBe(inQuarantine);

  // One of them is discarded: its copy is shown elsewhere.
  const letters = await lettersIn("quarantine");
  const place = `api/dead-letters/quarantine/${letters[0]?.sequenceNumber}/discard`;
  expect((await post(place, principal("Jobs.Operate"), { reason: "planted" })).status).toBe(200);
  const { discarded } = JSON.parse(await get("api/discarded-messages", "Jobs.Read")) as { discarded: { id: string }[] };
  const asked = await lettersIn(REQUESTS);
  expect(asked).toMatchObject([{ jobId: "pays" }]);
  const preview = { action: "resubmit", target: { jobIds: ["pays", "rejected-1"] } };
  const run = (await (await post("api/bulk", principal("Jobs.Operate"), preview)).json()) as { run: { id: string } };

  const ids = ["pays", ...carried];
  const paths = [
    ...(await pathsOf(host, {
      jobId: ids,
      "queue}/{sequenceNumber": [
        ...letters.map(({ sequenceNumber }) => `quarantine/${sequenceNumber}`),
        ...asked.map(({ sequenceNumber }) => `${REQUESTS}/${sequenceNumber}`),
      ],
      "agent}/{operation": ["shipping/arrange", "payment/authorize"],
      id: discarded.map(({ id }) => id),
      bulkId: [run.run.id],
    })),
    ...["quarantine", REQUESTS].flatMap((queue) => [
      `api/dead-letters?queue=${queue}&limit=100`,
      `api/dead-letter-causes?queue=${queue}`,
    ]),
    ...ids.map((id) => `api/jobs?q=${id}`),
    ...["Error", "Processing"].map((state) => `api/jobs?state=${state}&limit=200`),
    ...[...tokens].map((token) => `api/job-count?q=${token}`),
  ];
  let seen = 0;
  for (const path of paths) {
    for (const role of ["Jobs.Read", "Jobs.Operate"]) {
      const shown = await fetch(`${host}/${path}`, { headers: principal(role) });
      if (shown.status === 200) seen += 1;
      expectNone(await shown.text(), [...tokens, ...credentials], path);
      expect(shown.headers.get("cache-control") ?? "private", path).toMatch(/^private/);
    }
    for (const headers of [principal(), {}]) {
      const shown = await fetch(`${host}/${path}`, { headers });
      // 404: the route is not for GET.
      expect([401, 403, 404], path).toContain(shown.status);
      expectNone(await shown.text(), [...tokens, ...credentials], `${path}, to nobody`);
    }
    const shown = await get(path, "Jobs.ReadData");
    // What a stranger has put into a message is no credential of the app's.
    if (!shown.includes('"none"')) expectNone(shown, credentials, `${path}, to Jobs.ReadData`);
  }
  // Twice each: most of the API's GET routes, five orders, and the messages.
  expect(seen).toBeGreaterThan(2 * (25 + ids.length + inQuarantine));
  const one = await get(`api/dead-letters/quarantine/${letters[1]?.sequenceNumber}`, "Jobs.ReadData");
  expect([...tokens].some((token) => one.includes(token))).toBe(true);

  // What is sent to requesters.
  for (const id of ids) {
    const statuses = JSON.stringify(
      app.statuses(id).map(({ body, applicationProperties }) => [body, applicationProperties]),
    );
    expectNone(statuses, [...tokens, ...credentials], `the status messages of ${id}`);
  }

  const single = letters
    .slice(1)
    .filter((_, at) => at % 4 === 0)
    .map(({ sequenceNumber }) => `dead-letters/quarantine/${sequenceNumber}`);
  const jobs = [...ids.map((id) => `jobs/${id}`), `discarded/${discarded[0]?.id}`, `bulk/${run.run.id}`];
  const views = [...single, ...jobs, `dead-letters/${REQUESTS}/${asked[0]?.sequenceNumber}`];
  for await (const { place, text } of shownByConsole(host, principal("Jobs.Operate"), views)) {
    expectNone(text, [...tokens, ...credentials], place);
    if (place.startsWith("the export")) expect(text).toContain(ATTACKS.formula.slice(0, 10));
    // What a service says is no formula either.
    if (place === "the export as CSV") expect(text).not.toMatch(/(^|[",;\t])\s*[=+@-]/m);
  }

  const kept = ["logs", "traces", "host"].map((part) => {
    const files = globSync("**/*", { cwd: join(data, part), withFileTypes: true }).filter((file) => file.isFile());
    return { part, text: files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n") };
  });
  for (const { part, text } of [...kept, { part: "output", text: said.join("\n") }]) {
    expect(text.length, part).toBeGreaterThan(0);
    // The engine's history has what opens a step, and no role shows it.
    expectNone(text, part === "host" ? tokens : [...tokens, ...credentials], part);
    // A line of it is an entry: no service writes one of its own.
    if (part === "logs" || part === "output") expect(text, part).not.toMatch(new RegExp(`[\\r\\n]${ATTACKS.line}`));
  }
}, 300_000);

test("nor does any secret stand in the archive", async () => {
  await app.eventually("rejected-1", ({ overInErrorAt }) => typeof overInErrorAt === "string");
  // As if that were a month ago, for housekeeping.
  const overAt = "2026-01-01T12:00:00.000Z";
  const change = { op: "set", path: "/overInErrorAt", value: overAt } as const;
  await containerOf(app.settings).item("state", "rejected-1").patch([change]);
  expect(
    (await app.call("admin/functions/housekeeping", { method: "POST", headers: JSON_TYPE, body: "{}" })).status,
  ).toBe(202);
  await app.eventually("rejected-1", ({ keptUntil }) => typeof keptUntil === "string");
  const storage = BlobServiceClient.fromConnectionString(app.settings["AzureWebJobsStorage"] ?? "");
  const blob = storage.getContainerClient("archive").getBlobClient("2026/01/01.jsonl");
  const text = (await blob.downloadToBuffer()).toString();
  expect(JSON.parse(text)).toMatchObject({ record: { jobId: "rejected-1" } });
  expectNone(text, [...tokens, ...credentials], "the archive");
});

describe("who has no right", () => {
  const QUEUES = ["jobs", "jobs-priority", "scheduler", "quarantine", "agent-replies", REQUESTS];

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

  const NAMED = { jobId: ["waits-1"], step: ["arrangeShipping"], queue: ["quarantine"], sequenceNumber: ["1"] };

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
    const before = await wholeState(app, QUEUES);
    const known = new Set(metricSeries(data));
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
    const paths = await pathsOf(host, NAMED);
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
    await expect.poll(async () => (await messagesIn(app.bus, "agent-replies")).length).toBe(0);
    expect(await wholeState(app, QUEUES)).toEqual(before);
    const isNew = () => metricSeries(data).filter((one) => !known.has(one));
    for (const counter of ["completions.rejected", "replies.unverified"])
      await expect.poll(isNew).toContainEqual(expect.stringMatching(`^${counter} `));
    expect(isNew().map((one) => one.split(" ")[0])).toEqual(["completions.rejected", "replies.unverified"]);
  }, 300_000);

  test("and what an operator takes or releases is in the job's audit log", async () => {
    const operator = principal("Jobs.Operate");
    for (const taken of [true, false])
      expect((await post("api/jobs/waits-1/take", operator, { taken })).status).toBe(200);
    const { entries } = JSON.parse(await get("api/jobs/waits-1/audit", "Jobs.Read")) as { entries: object[] };
    expect(entries).toMatchObject([
      { action: "release", operator: "ada@example.com", outcome: "done" },
      { action: "take", operator: "ada@example.com", outcome: "done" },
    ]);
  });
});
