// A step that is done later, through the whole stack: its service answers 202 and reports by HTTP, once and twice, also after a host's death.
import { createServer, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { HeldUp } from "@scheduler-agent-supervisor/operator/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { measureBadRequests } from "../../bench/bad-requests.ts";
import { faultsOf } from "../console/axe.ts";
import { openBrowser, openPage } from "../console/browser.ts";
import { keyboardOf } from "../console/keyboard.ts";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

interface Bytes {
  readonly body: Buffer;
  readonly contentType: string;
}

let carrier: Server;
let adapted: AdaptedApp;
let app: TestStack;
/** Where the carrier was asked to report, by order. */
const reportTo = new Map<string, string>();
/** How often the carrier was asked what has become of it, by its path. */
const asked = new Map<string, number>();
/** What the carrier answers, by order, where it is not the usual acceptance. */
const answers = new Map<string, Bytes>();
/** Whose shipment's state has no id. */
let isOdd = true;
/** A carrier that says when it is to be asked is asked so often. */
const TIMES = 2;

beforeAll(async () => {
  carrier = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8") || "{}";
    const { orderId = "", reportTo: url } = JSON.parse(body) as { orderId?: string; reportTo?: string };
    if (url) reportTo.set(orderId, url);
    const isShipment = request.url === "/shipments";
    if (request.method === "GET") {
      const times = (asked.get(request.url ?? "") ?? 0) + 1;
      asked.set(request.url ?? "", times);
      if (request.url?.endsWith("S-asked-3") && isOdd) {
        response.writeHead(200, { "content-type": "application/json" }).end('{"id":{}}');
        return;
      }
      const isDone = times >= TIMES;
      response.writeHead(isDone ? 200 : 202, { "content-type": "application/json", "retry-after": "1" });
      response.end(JSON.stringify(isDone ? { id: request.url?.split("/").at(-1) } : { status: "accepted" }));
      return;
    }
    const odd = answers.get(orderId);
    if (isShipment && odd) {
      response.writeHead(202, { "content-type": odd.contentType }).end(odd.body);
      return;
    }
    const isAsked = isShipment && orderId.startsWith("asked-");
    const headers = { "content-type": "application/json", ...(isAsked && { "retry-after": "1" }) };
    response.writeHead(isShipment ? 202 : 200, headers);
    response.end(JSON.stringify(isShipment ? { id: `S-${orderId}` } : { status: "cancelled" }));
  });
  await new Promise<void>((listening) => carrier.listen(0, "127.0.0.1", listening));
  const { port } = carrier.address() as { port: number };
  adapted = adaptApp([CARRIER]);
  app = await startTestStack({
    appDir: adapted.dir,
    appSettings: { ShippingEndpoints: `http://127.0.0.1:${port}/` },
  });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  carrier?.close();
});

const isAwaiting = ({ steps }: StateRecord) => steps["arrangeShipping"]?.state === "Awaiting";
const ended = ({ processState }: StateRecord) => hasEnded(processState);

async function awaiting(orderId: string): Promise<StateRecord> {
  await app.shop.send({ ...madeOrder(orderId), workflow: "carrier" });
  return app.eventually(orderId, isAwaiting);
}

async function report(orderId: string, body: unknown, url = reportTo.get(orderId) ?? "") {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const OPERATOR = { "x-ms-client-principal-name": "ada@example.com" };
const collected = (orderId: string) => ({ kind: "done", result: { shipmentId: `S-${orderId}` } });

test("P6 P8 P22 it waits in its record, is completed by a report, and answers a second one alike", async () => {
  const { steps } = await awaiting("later-1");
  const { accepted, completeBy, endpoint } = steps["arrangeShipping"] ?? {};
  expect(accepted).toMatchObject({ reference: "S-later-1" });
  expect(endpoint).toMatch(/^http:\/\/127/);
  expect(Date.parse(completeBy ?? "") - Date.parse(accepted?.at ?? "")).toBe(600_000);
  expect(await report("later-1", { kind: "progress", progress: "on the van" })).toMatchObject({ status: 200 });
  expect(await report("later-1", collected("later-1"))).toEqual({ status: 200, body: { taken: true } });
  const record = await app.eventually("later-1", ended);
  expect(record).toMatchObject({ processState: "Processed", attempt: 1 });
  expect(record.steps["arrangeShipping"]).toMatchObject({ accepted: { progress: "on the van" } });
  expect(await report("later-1", collected("later-1"))).toMatchObject({ status: 200 });
  await expect
    .poll(() => app.statuses("later-1").findLast(({ subject }) => subject === "Completed")?.body)
    .toMatchObject({ outputs: { shipmentId: "S-later-1" } });
});

test("what is wrong with a report is named; an address that nobody was given reveals nothing", async () => {
  await awaiting("later-2");
  const answer = await report("later-2", { kind: "finished" });
  expect(answer).toMatchObject({ status: 400, body: { faults: [expect.stringContaining("kind")] } });
  const url = reportTo.get("later-2") ?? "";
  const ticket = JSON.parse(Buffer.from(url.split("/").at(-1) ?? "", "base64url").toString()) as object;
  const forged = Buffer.from(JSON.stringify({ ...ticket, nonce: "guessed" })).toString("base64url");
  const base = url.slice(0, url.lastIndexOf("/"));
  for (const [last, status] of [
    // It may be an address that was only just given to somebody: to be asked again first.
    [forged, 503],
    ["nothing", 409],
  ] as const) {
    expect(await report("later-2", collected("later-2"), `${base}/${last}`)).toMatchObject({ status });
  }
  expect(await report("later-2", { kind: "rejected", message: "the street is closed" })).toMatchObject({ status: 200 });
  expect(await app.eventually("later-2", ended)).toMatchObject({
    error: { message: expect.stringContaining("closed") },
  });
});

const JSON_TYPE = "application/json";
const utf16 = (text: string) => Buffer.from(text, "utf16le");

/** Each way to write a text that can be read. */
const READABLE: readonly (readonly [what: string, write: (text: string) => Bytes])[] = [
  ["UTF-8 with a byte order mark", (text) => ({ body: Buffer.from(`\uFEFF${text}`), contentType: JSON_TYPE })],
  ["UTF-16LE by its mark", (text) => ({ body: utf16(`\uFEFF${text}`), contentType: JSON_TYPE })],
  ["UTF-16 by its charset", (text) => ({ body: utf16(text), contentType: `${JSON_TYPE}; charset=utf-16` })],
  [
    "ISO-8859-1 by its charset",
    (text) => ({ body: Buffer.from(text, "latin1"), contentType: `${JSON_TYPE}; charset=iso-8859-1` }),
  ],
];

const CLOSED = JSON.stringify({ kind: "rejected", message: "die Straße ist gesperrt" });
const UNREADABLE: readonly (readonly [what: string, bytes: Bytes, fault: RegExp])[] = [
  [
    "ISO-8859-1 that nobody declares",
    { body: Buffer.from(CLOSED, "latin1"), contentType: JSON_TYPE },
    /is not valid UTF-8/,
  ],
  [
    "an unknown charset",
    { body: Buffer.from(CLOSED), contentType: `${JSON_TYPE}; charset=klingon` },
    /charset klingon/,
  ],
  ["gzip", { body: gzipSync(CLOSED), contentType: JSON_TYPE }, /compressed with gzip/],
  [
    "a member that is there twice",
    { body: Buffer.from(CLOSED.replace("{", '{"kind":"done",')), contentType: JSON_TYPE },
    /kind: is there twice/,
  ],
  ["no body", { body: Buffer.alloc(0), contentType: JSON_TYPE }, /must be a JSON object/],
  ["brackets alone", { body: Buffer.from("[".repeat(60_000)), contentType: JSON_TYPE }, /must be a JSON object/],
];

async function reportBytes(orderId: string, { body, contentType }: Bytes) {
  const headers = { "content-type": contentType };
  const response = await fetch(reportTo.get(orderId) ?? "", { method: "POST", headers, body: new Uint8Array(body) });
  return { status: response.status, text: await response.text() };
}

test("P33 a report in bytes that can't be read is at fault by name, and changes nothing", async () => {
  const before = await awaiting("unreadable-1");
  for (const [what, bytes, fault] of UNREADABLE) {
    const { status, text } = await reportBytes("unreadable-1", bytes);
    expect([status, text], what).toEqual([400, expect.stringMatching(fault)]);
  }
  expect((await app.eventually("unreadable-1", () => true)).steps).toEqual(before.steps);
  expect(await report("unreadable-1", collected("unreadable-1"))).toMatchObject({ status: 200 });
});

test.each(READABLE.map(([what, write], index) => ({ what, write, orderId: `bytes-${index}` })))(
  "P33 a carrier's answer and its report in $what are read",
  async ({ write, orderId }) => {
    answers.set(orderId, write(JSON.stringify({ id: "S-ä" })));
    const { steps } = await awaiting(orderId);
    expect(steps["arrangeShipping"]?.accepted).toMatchObject({ reference: "S-ä" });
    expect(await reportBytes(orderId, write(CLOSED))).toMatchObject({ status: 200 });
    const { error } = await app.eventually(orderId, ended);
    expect(error?.message).toContain("die Straße ist gesperrt");
  },
);

test("P33 numbers beyond 2^53 in a carrier's answer and its report are kept as they were sent", async () => {
  const orderId = "beyond-1";
  answers.set(orderId, { body: Buffer.from('{"id":9007199254740993}'), contentType: JSON_TYPE });
  const { steps } = await awaiting(orderId);
  expect(steps["arrangeShipping"]?.accepted).toMatchObject({ reference: "9007199254740993" });
  const body = Buffer.from('{"kind":"done","result":{"shipmentId":12345678901234567890}}');
  expect(await reportBytes(orderId, { body, contentType: JSON_TYPE })).toMatchObject({ status: 200 });
  const record = await app.eventually(orderId, ended);
  expect(record.steps["arrangeShipping"]).toMatchObject({ result: { shipmentId: "12345678901234567890" } });
});

test("what nobody may send costs one point read at most: an address that nobody was given, no report, a body that is too large", async () => {
  const orderId = "cost-1";
  await awaiting(orderId);
  const measured = await measureBadRequests(app.stack, 20);
  const statusOf = (part: string) => measured.find(({ name }) => name.includes(part))?.status;
  expect([statusOf("no address"), statusOf("no report"), statusOf("declared"), statusOf("unknown length")]).toEqual([
    409, 400, 413, 413,
  ]);
  for (const { name, reads } of measured) {
    const isAddress = name.includes("made-up") || name.includes("another nonce");
    // The supervisor sweeps beside it, by queries.
    expect(reads, name).toBeLessThanOrEqual(isAddress ? 1.2 : 0.2);
  }
  expect(await report(orderId, collected(orderId))).toMatchObject({ status: 200 });
  await app.eventually(orderId, ended);
});

test("P6 a report whose result is not as the carrier's agent declares it is at fault, the carrier's and an operator's; the right one is taken", async () => {
  const before = await awaiting("later-4");
  const faults = [expect.stringMatching(/^result\.shipmentId: /)];
  const wrong = { kind: "done", result: { shipment: "S-4" } };
  expect(await report("later-4", wrong)).toMatchObject({ status: 400, body: { faults } });
  const path = "api/jobs/later-4/steps/arrangeShipping/report";
  const byHand = await app.call(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...OPERATOR },
    body: JSON.stringify({ ...wrong, reason: "the carrier rang" }),
  });
  expect({ status: byHand.status, body: await byHand.json() }).toMatchObject({ status: 400, body: { faults } });
  expect((await app.records.of(["later-4"]))[0]).toEqual(before);
  const { kind, result } = collected("later-4");
  expect(await report("later-4", { kind, result: { ...result, van: 4 } })).toMatchObject({ status: 200 });
  const { steps } = await app.eventually("later-4", ended);
  expect(steps["arrangeShipping"]?.result).toEqual(result);
});

test("P16 the host dies while it waits: the report is taken by the next one, and the order goes on", async () => {
  await awaiting("later-3");
  await app.stack.kill("host");
  await app.stack.restart("host");
  await expect.poll(async () => (await report("later-3", collected("later-3"))).status).toBe(200);
  expect(await app.eventually("later-3", ended)).toMatchObject({ processState: "Processed", attempt: 1 });
});

test("P6 a carrier that says when to ask is asked, and asked again; the answer completes the order", async () => {
  await app.shop.send({ ...madeOrder("asked-1"), workflow: "carrier" });
  const record = await app.eventually("asked-1", ended);
  expect(record).toMatchObject({ processState: "Processed", attempt: 1, failureCount: 0 });
  expect(record.steps["arrangeShipping"]).toMatchObject({
    result: { shipmentId: "S-asked-1" },
    accepted: { reference: "S-asked-1", lastReportAt: expect.any(String), pollAt: expect.any(String) },
  });
  expect(asked.get("/shipments/S-asked-1")).toBe(TIMES);
});

test("P15 a carrier that gives an unreadable answer when it is asked is named as what holds the order up", async () => {
  await app.shop.send({ ...madeOrder("asked-3"), workflow: "carrier" });
  const groups = async () => {
    const response = await app.call("api/held-up", { headers: OPERATOR });
    return ((await response.json()) as HeldUp).groups;
  };
  await expect
    .poll(groups)
    .toMatchObject([
      { wait: { reason: "poll", agent: "shipping", cause: "HTTP 200: without the expected answer" }, count: 1 },
    ]);
  isOdd = false;
  expect(await app.eventually("asked-3", ended)).toMatchObject({ processState: "Processed", failureCount: 0 });
  await expect.poll(groups).toEqual([]);
});

test("P16 the host dies while it is to ask: the next one asks", async () => {
  await app.shop.send({ ...madeOrder("asked-2"), workflow: "carrier" });
  await app.eventually("asked-2", isAwaiting);
  await app.stack.kill("host");
  await app.stack.restart("host");
  expect(await app.eventually("asked-2", ended)).toMatchObject({ processState: "Processed", attempt: 1 });
});

test("an operator finds what awaits a report and answers in its place, by keyboard alone; axe finds nothing", async () => {
  await awaiting("waits-1");
  await awaiting("waits-2");
  await report("waits-1", { kind: "progress", progress: "rang twice" });
  await using browser = await openBrowser();
  const { page, errors } = await openPage(browser);
  const base = `${app.stack.addresses.host?.url}/console`;
  await page.goto(base);
  const { press, type } = keyboardOf(page);
  const group = page.getByRole("article").filter({ hasText: "Steps that are done later" });
  expect(await group.locator(".count").textContent()).toBe("2");
  await press("Steps that are done later");
  const row = page.getByRole("row", { name: /^waits-1 arrangeShipping · carrier .*S-waits-1 .* rang twice$/ });
  await row.waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await faultsOf(page)).toEqual([]);
  await press("waits-1");
  await page.getByText(/its report is awaited until/).waitFor();
  await press("Report arrangeShipping as done");
  await type("Shipment id", "by telephone");
  await type("Reason*", "the carrier rang back");
  expect(await faultsOf(page)).toEqual([]);
  await press("Report arrangeShipping as done");
  await page.getByText("Report arrangeShipping as done: done.").waitFor();
  expect(await app.eventually("waits-1", ended)).toMatchObject({
    processState: "Processed",
    steps: { arrangeShipping: { because: "reported by local-operator: the carrier rang back" } },
  });
  // The carrier's own report changes nothing any more.
  expect(await report("waits-1", { kind: "rejected", message: "no van" })).toMatchObject({ status: 200 });
  await press("Show what operators and supervisors did");
  await page
    .getByRole("row", { name: /local-operator .* done: arrangeShipping was reported as done the carrier rang back/ })
    .waitFor();

  await page.goto(`${base}/jobs/waits-2`);
  await press("Report arrangeShipping as rejected");
  await type("Reason*", "nobody is there");
  await press("Report arrangeShipping as rejected");
  await app.eventually("waits-2", ended);
  await page.goto(`${base}/awaiting`);
  await page.getByText("waits-1").waitFor({ state: "detached" });
  expect(errors).toEqual([]);
});
