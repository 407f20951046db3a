// Who may call what, where people sign in: every endpoint of the API for every role, on the running host.
import { request as openRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { seenByAll } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
let host: string;
beforeAll(async () => {
  // The test stands where built-in authentication would, and writes the headers itself.
  app = await startTestStack({ appSettings: { OperatorSignIn: "entra", WEBSITE_AUTH_ENABLED: "True" } });
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** Each route by the role that it takes. */
const ROUTES = {
  "Jobs.Read": [
    "GET api/session",
    "GET api/changes",
    "GET api/overview",
    "GET api/traffic",
    "GET api/waiting-messages",
    "GET api/reports",
    "GET api/last-hour",
    "GET api/job-count",
    "GET api/dead-letter-causes",
    "GET api/agents",
    "GET api/held-up",
    "GET api/held-up/jobs",
    "GET api/openapi.json",
    "GET api/attention",
    "GET api/attention/jobs",
    "GET api/job-contract",
    "GET api/result-contract/{agent}/{operation}",
    "GET api/jobs",
    "GET api/jobs/{jobId}",
    "GET api/jobs/{jobId}/audit",
    "GET api/workflows",
    "GET api/awaiting",
    "GET api/dead-letters",
    "GET api/dead-letters/{queue}/{sequenceNumber}",
    "GET api/discarded-messages",
    "GET api/discarded-messages/{id}",
    "GET api/supervisor",
    "GET api/audit-log",
    "GET api/taken",
    "GET api/bulk",
    "GET api/bulk/{bulkId}",
  ],
  "Jobs.Operate": [
    "POST api/reports/{id}/dismiss",
    "POST api/jobs/{jobId}/resubmit",
    "POST api/jobs/{jobId}/compensate",
    "POST api/jobs/{jobId}/cancel",
    "POST api/jobs/{jobId}/extend",
    "POST api/jobs/{jobId}/markResolved",
    "POST api/jobs/{jobId}/erase",
    "POST api/jobs/{jobId}/take",
    "POST api/jobs/{jobId}/steps/{step}/report",
    "POST api/jobs/{jobId}/steps/{step}/outcome",
    "POST api/dead-letters/{queue}/{sequenceNumber}/resend",
    "POST api/dead-letters/{queue}/{sequenceNumber}/discard",
    "POST api/discarded-messages/{id}/resend",
    "POST api/dead-letter-waves",
    "POST api/supervisor/sweep",
    "POST api/pauses",
    "POST api/bulk",
    "POST api/bulk/{bulkId}/start",
    "POST api/bulk/{bulkId}/pause",
    "POST api/bulk/{bulkId}/resume",
    "POST api/bulk/{bulkId}/cancel",
  ],
  "Jobs.Submit": ["POST api/submissions", "GET api/submissions/{jobId}", "POST api/submissions/{jobId}/cancel"],
} as const;

const JSON_TYPE = { "content-type": "application/json" };

const principal = (...roles: string[]) => {
  const claims = roles.map((val) => ({ typ: "roles", val }));
  return {
    "x-ms-client-principal": Buffer.from(JSON.stringify({ claims })).toString("base64"),
    "x-ms-client-principal-name": "ada@example.com",
    "x-ms-client-principal-id": "ada",
  };
};

async function statusOf(route: string, headers: Record<string, string>): Promise<number> {
  const [method = "", template = ""] = route.split(" ");
  const path = template
    .replace("dead-letter-causes", "dead-letter-causes?queue=quarantine")
    .replace("{queue}", "quarantine")
    .replace("{sequenceNumber}", "1")
    .replace(/\{\w+\}/g, "none");
  const body = method === "POST" ? { body: JSON.stringify({ reason: "r" }) } : {};
  const response = await fetch(`${host}/${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...body,
  });
  await response.arrayBuffer();
  return response.status;
}

/** Whoever has its address was asked: it takes no role and no sign-in. */
const FOR_SERVICES = "POST api/completions/{ticket}";

test("what services report takes no role, and reveals nothing to who guesses an address", async () => {
  for (const headers of [{}, principal("Jobs.Operate")]) expect(await statusOf(FOR_SERVICES, headers)).toBe(409);
});

test("no endpoint is missing here", async () => {
  const listed = (await (await app.call("admin/functions")).json()) as { invokeUrlTemplate?: string }[];
  const paths = listed.flatMap(({ invokeUrlTemplate: url }) => (url ? [url.slice(host.length + 1)] : []));
  const known = [...Object.values(ROUTES).flat(), FOR_SERVICES].map((route) => route.split(" ")[1]);
  expect(paths.filter((path) => !path.startsWith("console")).sort()).toEqual(known.sort());
});

test.each(Object.entries(ROUTES))("endpoints that take %s", async (role, routes) => {
  for (const route of routes) {
    expect(await statusOf(route, {}), `${route}, not signed in`).toBe(401);
    expect(await statusOf(route, principal("Shop.Manager")), `${route}, another role`).toBe(403);
    const reader = await statusOf(route, principal("Jobs.Read"));
    if (role === "Jobs.Read") expect([200, 404], `${route}, reader`).toContain(reader);
    else expect(reader, `${route}, reader`).toBe(403);
    expect([401, 403, 500], `${route}, who has it`).not.toContain(
      await statusOf(route, principal(role === "Jobs.Submit" ? role : "Jobs.Operate")),
    );
  }
});

test("the console's session says who it is and whether they may act", async () => {
  const session = async (role: string) =>
    (await fetch(`${host}/api/session`, { headers: principal(role) })).json() as Promise<unknown>;
  expect(await session("Jobs.Read")).toMatchObject({ operator: "ada@example.com", mayOperate: false });
  expect(await session("Jobs.Operate")).toMatchObject({ operator: "ada@example.com", mayOperate: true });
});

describe("by HTTP", () => {
  const asked = async (id: string, path: string, content?: object) => {
    const headers = { ...JSON_TYPE, ...principal("Jobs.Submit"), "x-ms-client-principal-id": id };
    const body = content && { method: "POST", body: JSON.stringify(content) };
    const response = await fetch(`${host}/api/submissions${path}`, { headers, ...body });
    return { status: response.status, headers: response.headers, body: (await response.json()) as object };
  };
  const isOver = async (orderId: string) => ((await asked("ada", `/${orderId}`)).body as { isOver?: boolean }).isOver;

  test("P1 P15 an application submits an order, and is told its end and its outputs; nobody else is told of it", async () => {
    const order = madeOrder("http-1");
    const first = await asked("ada", "", order);
    expect([first.status, first.headers.get("location")]).toEqual([202, "/api/submissions/http-1"]);
    expect(first.body).toMatchObject({ jobId: "http-1", isOver: false });
    await expect.poll(() => isOver("http-1")).toBe(true);
    const { status, body } = await asked("ada", "/http-1");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: "Processed",
      status: "Completed",
      outputs: { shipmentId: expect.any(String) },
    });
    expect(JSON.stringify(body)).not.toContain(order.paymentToken);
    // The same again is the same order; another's, or another under its id, is not told anything of it.
    expect(await asked("ada", "", order)).toMatchObject({ status: 200, body });
    expect((await asked("ada", "", { ...order, currency: "USD" })).status).toBe(409);
    expect((await asked("bob", "", order)).status).toBe(409);
    expect((await asked("bob", "/http-1")).status).toBe(404);
    expect((await asked("bob", "/http-1/cancel", { reason: "mine" })).status).toBe(404);
    await seenByAll();
    const [record] = await app.records.of(["http-1"]);
    expect([record?.owner, record?.attempt]).toEqual(["caller:ada", 1]);
  });

  test("P1 all faults are named at once, and nothing is kept of it", async () => {
    const before = (await app.records.quarantined()).length;
    const { status, body } = await asked("ada", "", { ...madeOrder("http-2"), currency: "euro", workflow: "none" });
    expect([status, body]).toMatchObject([400, { faults: [expect.stringMatching(/^currency/)] }]);
    expect((await asked("ada", "", madeOrder("h".repeat(300_000)))).status).toBe(413);
    expect(await app.records.of(["http-2"])).toEqual([]);
    expect((await app.records.quarantined()).length).toBe(before);
  });

  test("P13 its requester cancels it, and it is compensated", async () => {
    await app.switchOn("payment", { kind: "slow", delayMs: 3000, calls: 1, match: { orderId: "http-3" } });
    await asked("ada", "", madeOrder("http-3"));
    await app.eventually("http-3", ({ steps }) => steps["reserveStock"]?.state === "Completed");
    expect((await asked("ada", "/http-3/cancel", { reason: "no longer wanted" })).status).toBe(202);
    await expect.poll(() => isOver("http-3")).toBe(true);
    expect((await asked("ada", "/http-3")).body).toMatchObject({ state: "Cancelled", status: "Cancelled" });
  });
});

/** As written: no client tidies the path. */
function raw(method: string, path: string, headers: Record<string, string>, body = ""): Promise<number> {
  const { hostname, port } = new URL(host);
  return new Promise((resolve, reject) => {
    const request = openRequest({ host: hostname, port, method, path, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    request.once("error", reject).end(body);
  });
}

describe("however a request is written, it takes its role", () => {
  const COMPENSATION = "/api/jobs/none/compensate";

  test.each([
    "/API/Orders/none/UNDO",
    "/api/jobs/none/compensate/",
    "//api/jobs/none/compensate",
    "/api//jobs/none/compensate",
    "/api/jobs/none/compensate?code=x",
    "/api/jobs/none/%75ndo",
    "/api/jobs/none%2Fundo",
    "/api/jobs/%2e%2e/compensate",
    "/api/jobs/../jobs/none/compensate",
    "/api/./jobs/none/compensate",
    "/api/jobs/none;x=1/compensate",
    "/console/../api/jobs/none/compensate",
    "/console/..%2fapi%2forders%2fnone%2fundo",
  ])("%s", async (path) => {
    for (const headers of [{}, principal("Shop.Manager"), principal("Jobs.Read")]) {
      const status = await raw("POST", path, { ...JSON_TYPE, ...headers }, '{"reason":"r"}');
      expect([401, 403, 404], JSON.stringify(headers)).toContain(status);
    }
    expect([401, 404, 405]).toContain(await raw("GET", path.replace("/compensate", ""), {}));
  });

  test.each(["x-http-method-override", "x-http-method", "x-method-override"])("%s changes nothing", async (name) => {
    const reader = principal("Jobs.Read");
    expect(await raw("GET", COMPENSATION, { ...JSON_TYPE, ...reader, [name]: "POST" })).toBe(404);
    expect(await raw("GET", `${COMPENSATION}?_method=POST`, { ...JSON_TYPE, ...reader })).toBe(404);
    // One who may act is not let through as one who looks, either.
    expect(await raw("POST", "/api/jobs/none", { ...JSON_TYPE, ...reader, [name]: "GET" })).toBe(404);
  });
});

describe("the payment token", () => {
  const TOKEN = "tok_only_for_some";
  const get = async (path: string, role: string): Promise<string> =>
    (await fetch(`${host}/api/${path}`, { headers: principal(role) })).text();

  test("is shown to its own role alone; an edit that leaves it hidden keeps it", async () => {
    const match = { orderId: "token-1" };
    // The check beside it is done first: then nothing has to be waited for.
    await app.switchOn("payment", { kind: "slow", delayMs: 1000, calls: 1, match });
    await app.switchOn("payment", { kind: "reject", status: 402, message: "no", calls: 1, match });
    await app.shop.send({ ...madeOrder("token-1"), paymentToken: TOKEN });
    await app.eventually("token-1", ({ processState, outbox }) => processState === "Error" && outbox.length === 0);
    for (const role of ["Jobs.Read", "Jobs.Operate"]) {
      const shown = await get("jobs/token-1", role);
      expect(JSON.parse(shown)).toMatchObject({ job: { paymentToken: "(hidden)" } });
      expect(shown).not.toContain(TOKEN);
      expect(await get("jobs?q=token-1", role)).not.toContain(TOKEN);
    }
    const { job: order } = JSON.parse(await get("jobs/token-1", "Jobs.Operate")) as { job: object };
    const resubmit = { method: "POST", headers: { ...JSON_TYPE, ...principal("Jobs.Operate") } };
    const body = JSON.stringify({
      reason: "fewer",
      job: { ...order, lines: [{ sku: "TEA", quantity: 1, unitPrice: 7 }] },
    });
    expect((await fetch(`${host}/api/jobs/token-1/resubmit`, { ...resubmit, body })).status).toBe(200);
    const record = await app.eventually("token-1", ({ processState }) => processState === "Processed");
    expect(record.jobRevision).toBe(2);
    expect(JSON.parse(await get("jobs/token-1", "Jobs.ReadData"))).toMatchObject({
      job: { paymentToken: TOKEN, lines: [{ unitPrice: 7 }] },
    });
  });

  test("in a message of the quarantine too; nor does an order come with what stands for it", async () => {
    const sender = app.bus.createSender("jobs");
    const order = { ...madeOrder("token-2"), currency: "euro", paymentToken: TOKEN };
    await sender.sendMessages([
      { body: order, messageId: "token-2" },
      { body: Buffer.from(`{"paymentToken":"${TOKEN}"`), messageId: "token-3" },
      { body: { ...madeOrder("token-4"), paymentToken: "(hidden)" }, messageId: "token-4" },
    ]);
    await sender.close();
    const ids = async () => (await app.records.quarantined()).map(({ messageId }) => messageId);
    await expect.poll(ids).toEqual(expect.arrayContaining(["token-2", "token-3", "token-4"]));
    const list = JSON.parse(await get("dead-letters?queue=quarantine", "Jobs.Read")) as {
      messages: { messageId: string; sequenceNumber: string }[];
    };
    for (const { messageId, sequenceNumber } of list.messages) {
      const path = `dead-letters/quarantine/${sequenceNumber}`;
      expect(await get(path, "Jobs.Operate")).not.toContain(TOKEN);
      if (messageId !== "token-4") expect(await get(path, "Jobs.ReadData")).toContain(TOKEN);
    }
    // Corrected by somebody who has not seen it, the message keeps its token.
    const { sequenceNumber } = list.messages.find(({ messageId }) => messageId === "token-2") ?? {};
    const resend = (edit: object) =>
      fetch(`${host}/api/dead-letters/quarantine/${sequenceNumber}/resend`, {
        method: "POST",
        headers: { ...JSON_TYPE, ...principal("Jobs.Operate") },
        body: JSON.stringify({ reason: "fixed", ...edit }),
      });
    expect((await resend({ body: { ...order, currency: "EUR", paymentToken: "(hidden)" } })).status).toBe(409);
    expect((await resend({ patch: { currency: "EUR" } })).status).toBe(200);
    await app.eventually("token-2", ({ processState }) => processState === "Processed");
    expect(await get("jobs/token-2", "Jobs.ReadData")).toContain(TOKEN);
  });
});

test.each([
  ["entra without built-in authentication", { OperatorSignIn: "entra" }],
  ["development in Azure", { OperatorSignIn: "development", WEBSITE_SITE_NAME: "orders" }],
])("%s: the app does not start", async (_, appSettings) => {
  await expect(startTestStack({ appSettings })).rejects.toThrow(/OperatorSignIn: must not be/);
});
