// How the console is served, and that the API's answers are what its schemas say.

import * as contract from "@scheduler-agent-supervisor/operator/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { WITH_KEY } from "../support/host-key.ts";
import { madeOrder } from "../support/made-order.ts";
import { holdAgainst, type OpenApi, operationsOf } from "../support/openapi.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { openBrowser, openPage } from "./browser.ts";

let app: TestStack;
let host: string;
beforeAll(async () => {
  app = await startTestStack({ appSettings: { TraceUrl: "https://traces.example/{traceId}" } });
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(() => app?.[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(host + path, { headers: { ...WITH_KEY, ...headers }, redirect: "manual" });

describe("the index", () => {
  test("has the literal policy, an ETag, and is asked for again each time", async () => {
    const response = await get("/console");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; " +
        "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const etag = response.headers.get("etag") ?? "";
    expect((await get("/console", { "if-none-match": etag })).status).toBe(304);
    expect(await response.text()).not.toMatch(/<style|<script(?![^>]*src=)|https?:\/\//);
  });

  test.each([
    "/console/",
    "/console/jobs/any-1",
    "/console/search?q=x",
    "/console/dead-letters/quarantine/1",
    "/console/discarded/1",
  ])("is what %s answers", async (path) => {
    expect((await get(path)).headers.get("content-type")).toBe("text/html; charset=utf-8");
  });
});

test("assets are hashed, immutable and compressed before; nothing else is answered", async () => {
  const index = await (await get("/console")).text();
  const assets = [...index.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path);
  expect(assets.length).toBeGreaterThanOrEqual(3);
  for (const path of assets) {
    expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    const response = await get(path, { "accept-encoding": "br" });
    expect(response.headers.get("cache-control"), path).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-encoding"), path).toBe("br");
    expect(response.headers.get("x-content-type-options"), path).toBe("nosniff");
    const plain = await get(path, { "accept-encoding": "identity" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(await response.text());
  }
  for (const path of ["assets/none.js", "assets/", "manifest.json", "index.html.br", "..%2f..%2fhost.json"]) {
    const response = await get(`/console/${path}`);
    expect([response.status, response.headers.get("content-type")], path).toEqual([404, "text/plain; charset=utf-8"]);
  }
  const nowhere = await get("/console/nopage");
  expect([nowhere.status, await nowhere.text()], "a page that says so").toEqual([404, index]);
});

test("a page of another site can change nothing", async () => {
  const post = (headers: Record<string, string>) =>
    app.call("api/jobs/none/compensate", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ reason: "r" }),
    });
  expect((await post({ origin: "https://evil.example" })).status).toBe(403);
  expect((await post({ "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post({ origin: host })).status).toBe(404);
  expect((await post({})).status).toBe(404);
});

test("answers are what the schemas say", async () => {
  await app.switchOn("payment", { kind: "reject", status: 402, message: "card 7 has expired", calls: 1 });
  await app.shop.send(madeOrder("published-1"));
  await app.shop.send({ ...madeOrder("unreadable-2"), currency: "euro" });
  await app.eventually("published-1", ({ processState, outbox }) => processState === "Error" && outbox.length === 0);
  const answer = async <Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> => {
    const response = await get(`/api/${path}`);
    expect(response.status, path).toBe(200);
    const body = await response.json();
    holdAgainst(document, "GET", `/api/${path}`, 200, body);
    return schema.parse(body);
  };
  const document = (await (await get("/api/openapi.json")).json()) as OpenApi;
  const session = await answer("session", contract.session);
  expect(session).toMatchObject({
    operator: "local-operator",
    mayOperate: true,
    environment: "this machine",
    traceUrl: "https://traces.example/{traceId}",
    words: { one: "order", many: "orders" },
    keys: ["customer", "returnOf"],
  });
  const before = await answer("changes", contract.changes);
  expect(await answer("changes", contract.changes)).toEqual({ ...before, asOf: expect.any(String) });
  const overview = await answer("overview", contract.overview);
  expect(overview.counts).toContainEqual({ state: "Error", kind: "rejected", count: 1 });
  const traffic = await answer("traffic", contract.traffic);
  expect(traffic).toMatchObject({ received: { overMs: 60_000 }, times: null });
  const waiting = await answer("waiting-messages", contract.waitingMessages);
  expect(waiting.queues).toContainEqual({ queue: "jobs", waits: [] });
  expect((await answer("reports", contract.reports)).reports).toEqual([]);
  const hour = await answer("last-hour", contract.lastHour);
  expect([hour.received, hour.errors].map((counts) => counts.reduce((sum, one) => sum + one, 0))).toEqual([1, 1]);
  expect(await answer("job-count?state=Error", contract.jobTotal)).toEqual({ count: 1, isMore: false });
  expect(await answer("job-count?q=published", contract.jobTotal)).toEqual({ count: null, isMore: false });
  const log = await answer("audit-log?from=2026-01-31T00:00:00Z&to=2026-01-31T12:00:00Z", contract.auditPage);
  expect(log).toEqual({ from: "2026-01-31T00:00:00.000Z", to: "2026-01-31T12:00:00.000Z", entries: [] });
  expect(traffic.queues.map(({ queue }) => queue)).toContain("jobs");
  const { groups } = await answer("attention", contract.attention);
  expect(groups).toMatchObject([{ cause: "card # has expired", step: "takePayment", kind: "rejected", count: 1 }]);
  expect(groups[0]?.hours.reduce((sum, one) => sum + one, 0)).toBe(1);
  const page = await answer(`attention/jobs?group=${groups[0]?.id}`, contract.attentionPage);
  expect(page.jobs.map(({ jobId: orderId }) => orderId)).toEqual(["published-1"]);
  expect(await answer("attention/jobs?group=other", contract.attentionPage)).toMatchObject({ count: 0, jobs: [] });
  await answer("jobs", contract.jobPage);
  const inspection = await answer("jobs/published-1", contract.inspection);
  expect(inspection.statuses.map(({ status, delivery }) => `${status} ${delivery}`)).toEqual(
    expect.arrayContaining(["Received sent", "Started sent", "Failed sent"]),
  );
  expect(inspection.workflow?.steps.map(({ name }) => name)).toContain("takePayment");
  expect(await answer("jobs/published-1/audit", contract.jobAudit)).toMatchObject({ isAll: true });
  const known = await get("/api/jobs/published-1", { "if-none-match": inspection.etag });
  expect(known.status).toBe(304);
  for (const path of ["attention", "attention/jobs", "jobs", "overview", "taken", "awaiting", "dead-letters"]) {
    const first = await get(`/api/${path}`);
    expect(first.headers.get("cache-control"), path).toBe("private, no-cache");
    const again = await get(`/api/${path}`, { "if-none-match": first.headers.get("etag") ?? "" });
    expect([again.status, (await again.text()).length], path).toEqual([304, 0]);
  }
  await answer("dead-letters", contract.deadLetterCounts);
  const letters = await answer("dead-letters?queue=quarantine", contract.deadLetterPage);
  await answer(`dead-letters/quarantine/${letters.messages[0]?.sequenceNumber}`, contract.deadLetter);
  // The timer's first sweep may not be over yet.
  const sweep = { method: "POST", headers: { "content-type": "application/json" } };
  expect((await app.call("api/supervisor/sweep", sweep)).status).toBe(200);
  const { leader } = await answer("supervisor", contract.supervisor);
  expect(leader).toMatchObject({ leads: true, epoch: 1, since: expect.stringMatching(/^20\d\d-/) });
  expect((await answer("audit-log", contract.auditPage)).entries).toContainEqual(
    expect.objectContaining({ kind: "sweep", epoch: 1, leader: leader?.name }),
  );
  const take = async (operator: string, taken: boolean) => {
    const headers = { "content-type": "application/json", "x-ms-client-principal-name": operator };
    const body = JSON.stringify({ taken });
    return (await app.call("api/jobs/published-1/take", { method: "POST", headers, body })).status;
  };
  const operators = ["ada", "bob", "cleo"];
  const statuses = await Promise.all(operators.map((operator) => take(operator, true)));
  expect(statuses.toSorted()).toEqual([200, 409, 409]);
  const by = operators[statuses.indexOf(200)] ?? "";
  expect(await take(by, true)).toBe(200);
  expect((await answer("taken", contract.takenJobs)).taken).toMatchObject([{ jobId: "published-1", takenBy: by }]);
  expect(await take("dora", false)).toBe(200);
  expect((await answer("taken", contract.takenJobs)).taken).toEqual([]);
  expect((await get("/api/audit-log?from=yesterday")).status).toBe(400);
  expect((await get("/api/attention/jobs?limit=0&group=-")).status).toBe(400);
});

/** Compressed, with the style sheet: what an operator waits for at night on a phone. */
const BUDGET_BYTES = 200_000;

test("the first view needs at most 200 KB", async () => {
  const browser = await openBrowser();
  try {
    const { page } = await openPage(browser);
    const sizes: Promise<{ readonly path: string; readonly bytes: number }>[] = [];
    page.on("requestfinished", (request) => {
      const path = new URL(request.url()).pathname;
      if (!path.startsWith("/api/"))
        sizes.push(request.sizes().then(({ responseBodySize: bytes }) => ({ path, bytes })));
    });
    await page.goto(`${host}/console`);
    await page.getByRole("heading", { name: "By cause" }).waitFor();
    const loaded = await Promise.all(sizes);
    expect(loaded.map(({ path }) => path).filter((path) => !path.startsWith("/console"))).toEqual([]);
    expect(loaded.length).toBeGreaterThanOrEqual(3);
    expect(loaded.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(BUDGET_BYTES);
  } finally {
    await browser.close();
  }
});

test("every route stands in the OpenAPI document, and answers of each kind are as it says", async () => {
  const document = (await (await get("/api/openapi.json")).json()) as OpenApi;
  expect(document.openapi).toMatch(/^3\.1\./);
  const listed = (await (await get("/admin/functions")).json()) as { invokeUrlTemplate?: string; method?: string }[];
  const routes = listed.flatMap(({ invokeUrlTemplate }) => /\/(api\/.*)$/.exec(invokeUrlTemplate ?? "")?.[1] ?? []);
  const documented = operationsOf(document).map((operation) => operation.split(" ")[1]);
  // Services report there, and no operator: docs/how-to/long-running-steps.md says how.
  expect([...documented, "api/completions/{ticket}"].sort()).toEqual(routes.sort());

  const hold = async (method: "GET" | "POST", path: string, wanted: number, sent: unknown = {}, headers = {}) => {
    const response = await app.call(path.slice(1), {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(method === "POST" && { body: JSON.stringify(sent) }),
    });
    const body: unknown = await response.json();
    expect(response.status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(wanted);
    holdAgainst(document, method, path, wanted, body);
    return body;
  };
  await hold("GET", "/api/openapi.json", 200);
  await hold("GET", "/api/job-contract", 200);
  await hold("GET", "/api/workflows", 200);
  await hold("POST", "/api/supervisor/sweep", 200);
  await hold("GET", "/api/agents", 200);
  const paused = { kind: "workflow", name: "order-fulfilment", change: "pause", reason: "r" };
  await hold("POST", "/api/pauses", 404, { ...paused, name: "nobody" });
  await hold("POST", "/api/pauses", 400, { ...paused, reason: "" });
  await hold("POST", "/api/pauses", 200, { ...paused, change: "resume" });
  await hold("GET", "/api/jobs?state=none", 400);
  await hold("GET", "/api/jobs/nowhere", 404);
  await hold("POST", "/api/jobs/nowhere/markResolved", 404, { reason: "r" });
  await hold("POST", "/api/jobs/published-1/compensate", 400, {});
  await hold("POST", "/api/jobs/published-1/extend", 409, { reason: "r", by: "PT1M" });
  await hold("POST", "/api/jobs/published-1/markResolved", 412, { reason: "r" }, { "if-match": '"0"' });
  await hold("POST", "/api/jobs/published-1/erase", 409, { reason: "r" });
  await hold("GET", "/api/awaiting", 200);
  const report = "/api/jobs/published-1/steps/takePayment/report";
  await hold("POST", report, 400, { kind: "progress", reason: "r" });
  await hold("POST", report, 409, { kind: "done", reason: "r" });
  await hold("POST", report, 412, { kind: "rejected", reason: "r" }, { "if-match": '"0"' });
  await hold("POST", "/api/jobs/nowhere/steps/takePayment/report", 404, { kind: "done", reason: "r" });
  const preview = await hold("POST", "/api/bulk", 201, {
    action: "markResolved",
    target: { jobIds: ["published-1", "none"] },
  });
  const { bulkId } = (preview as { run: { bulkId: string } }).run;
  await hold("GET", `/api/bulk/${bulkId}`, 200);
  await hold("GET", "/api/bulk", 200);
  await hold("POST", `/api/bulk/${bulkId}/pause`, 409);
  await hold("POST", `/api/bulk/${bulkId}/cancel`, 200);
  await hold("POST", "/api/bulk/none/cancel", 404);
  await hold("POST", "/api/jobs/published-1/markResolved", 200, { reason: "refunded" });
  await hold("GET", "/api/dead-letters/quarantine/99999", 404);
  await hold("POST", "/api/dead-letters/quarantine/99999/discard", 404, { reason: "r" });
  const letters = (await hold("GET", "/api/dead-letters?queue=quarantine", 200)) as {
    messages: { sequenceNumber: string }[];
  };
  const letter = `/api/dead-letters/quarantine/${letters.messages[0]?.sequenceNumber}`;
  await hold("GET", "/api/dead-letter-causes?queue=quarantine", 200);
  await hold("GET", "/api/dead-letter-causes?queue=nowhere", 404);
  await hold("GET", "/api/audit-log?from=yesterday", 400);
  const wave = { queue: "quarantine", action: "discard", reason: "r" };
  await hold("POST", "/api/dead-letter-waves", 400, { ...wave, numbers: ["1"], patch: {} });
  await hold("POST", "/api/dead-letter-waves", 404, { ...wave, queue: "nowhere", numbers: ["1"] });
  await hold("POST", "/api/dead-letter-waves", 200, { ...wave, numbers: ["99999"] });
  const { discarded } = (await hold("POST", `${letter}/discard`, 200, { reason: "r" })) as { discarded: string };
  await hold("GET", "/api/discarded-messages", 200);
  await hold("GET", `/api/discarded-messages/${discarded}`, 200);
  await hold("POST", `/api/discarded-messages/${discarded}/resend`, 400, {});
  await hold("POST", `/api/discarded-messages/${discarded}/resend`, 200, { reason: "r" });
  await hold("POST", `/api/discarded-messages/${discarded}/resend`, 404, { reason: "r" });
  await hold("POST", "/api/jobs/published-1/take", 200, { taken: true });
  const asBob = { "x-ms-client-principal-name": "bob@example.com" };
  await hold("POST", "/api/jobs/published-1/take", 409, { taken: true }, asBob);
  await hold("POST", "/api/jobs/published-1/take", 400, { taken: "yes" });
  await hold("POST", "/api/jobs/nowhere/take", 404, { taken: true });
  await hold("POST", "/api/jobs/published-1/take", 403, {}, { "sec-fetch-site": "cross-site" });
});
