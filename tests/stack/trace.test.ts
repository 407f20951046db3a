// One order, one trace: through both transports, a retry by the supervisor and the status messages, as a collector sees it.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded, OPEN_ERRORS, type ProcessState } from "@scheduler-agent-supervisor/core/domain";
import { EVENTS, METRICS, type MetricName } from "@scheduler-agent-supervisor/core/telemetry";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { openTraces, type Span, type Trace, type TraceReader } from "@scheduler-agent-supervisor/local/traces";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const data = mkdtempSync(join(tmpdir(), "trace-"));
/** The last step's completion and the order's end go in one send. */
const THE_END = "publish StepCompleted, Completed";
/** What a remote service gets to see. */
const called: IncomingHttpHeaders[] = [];
let service: Server;
let app: TestStack;

beforeAll(async () => {
  service = createServer((request, response) => {
    called.push(request.headers);
    request.resume();
    request.once("end", () => response.writeHead(201, { "content-type": "application/json" }).end('{"id":"res-1"}'));
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = service.address() as AddressInfo;
  const appSettings = {
    InventoryEndpoints: `http://127.0.0.1:${port}`,
    GaugesSchedule: "* * * * * *",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
    OTEL_BSP_SCHEDULE_DELAY: "200",
  };
  app = await startTestStack({ data, parts: PART_NAMES, appSettings });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  service.close();
  rmSync(data, { recursive: true, force: true });
});

const ended = ({ processState }: { processState: ProcessState }) => hasEnded(processState);

function read<T>(look: (reader: TraceReader) => T): T {
  const reader = openTraces(join(data, "traces"));
  if (!reader) throw new Error("the collector has kept nothing");
  try {
    return look(reader);
  } finally {
    reader.close();
  }
}

/** The order's traces, once its end is among them. */
async function tracesOf(orderId: string): Promise<Trace[]> {
  await app.eventually(orderId, ended, 40_000);
  const names = () =>
    read((reader) => reader.tracesWith("jobId", orderId).flatMap(({ spans }) => spans.map(({ name }) => name)));
  await expect
    .poll(names)
    .toEqual(
      expect.arrayContaining([expect.stringMatching(/^publish (StepCompleted, )?(Completed|Failed|Compensated)$/)]),
    );
  return read((reader) => reader.tracesWith("jobId", orderId));
}

async function pauses(change: "pause" | "resume"): Promise<void> {
  const response = await app.call("api/pauses", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ kind: "agent", name: "shipping", change, reason: "their database is moved" }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
}

/** From the root to the span: what had to happen for it. */
function pathTo(name: string, spans: readonly Span[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path: string[] = [];
  for (let span = spans.find((one) => one.name === name); span; span = byId.get(span.parentId ?? ""))
    path.unshift(span.name);
  return path;
}

test("P7 an order goes through both transports in the client's own trace, and its status messages carry it back", async () => {
  const [traceId, shopSpan] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const sender = app.bus.createSender("jobs");
  await sender.sendMessages({
    body: madeOrder("traced-1"),
    messageId: "traced-1",
    replyTo: REPLY_QUEUE,
    applicationProperties: { traceparent: `00-${traceId}-${shopSpan}-00` },
  });
  await sender.close();
  const traces = await tracesOf("traced-1");
  expect(traces.map((trace) => trace.traceId)).toEqual([traceId]);
  const spans = traces[0]?.spans ?? [];
  const known = new Set(spans.map(({ spanId }) => spanId));
  // Of one root, which stands below the client's span, and of nothing that is lost.
  expect(spans.filter(({ parentId }) => !known.has(parentId ?? ""))).toMatchObject([
    { name: "submission", parentId: shopSpan },
  ]);
  expect(pathTo("inventory reserve", spans)).toEqual([
    "submission",
    "claim attempt 1",
    "reserveStock",
    "inventory reserve",
  ]);
  const byQueue = [
    "checkFraud by queue",
    "ask fraud",
    "fraudQueueAgent",
    "answer",
    "agentReplies",
    "record checkFraud",
  ];
  expect(pathTo("record checkFraud", spans)).toEqual(["submission", "claim attempt 1", ...byQueue]);
  expect(pathTo("fraud check", spans).slice(-2)).toEqual(["fraudQueueAgent", "fraud check"]);
  expect(pathTo(THE_END, spans).slice(-2)).toEqual(["capturePayment", THE_END]);
  expect(spans.find(({ name }) => name === "reserveStock")?.attributes).toMatchObject({
    jobId: "traced-1",
    attempt: 1,
    step: "reserveStock",
    agent: "inventory",
    outcome: "completed",
  });
  const published = spans.filter(({ name }) => name.startsWith("publish "));
  expect(published).toHaveLength(7);
  await expect.poll(() => app.statuses("traced-1")).toHaveLength(8);
  for (const { applicationProperties = {}, subject } of app.statuses("traced-1")) {
    const [, trace, span] = String(applicationProperties["traceparent"]).split("-");
    expect(trace).toBe(traceId);
    expect(
      published
        .find(({ spanId }) => spanId === span)
        ?.name.replace("publish ", "")
        .split(", "),
    ).toContain(subject);
    expect(applicationProperties["Diagnostic-Id"]).toBe(applicationProperties["traceparent"]);
  }
  const call = spans.find(({ name }) => name === "inventory reserve");
  expect(called.at(-1)?.["traceparent"]).toBe(`00-${traceId}-${call?.spanId}-01`);
});

test("P10 a retry by the supervisor goes on in the order's trace, below the recovery", async () => {
  const endOutage = await app.switchOn("shipping", { kind: "down", match: { orderId: "traced-2" } });
  await app.shop.send(madeOrder("traced-2"));
  await app.eventually("traced-2", ({ attempt }) => attempt === 2, 40_000);
  await endOutage();
  const traces = await tracesOf("traced-2");
  expect(traces).toHaveLength(1);
  const spans = traces[0]?.spans ?? [];
  expect(pathTo("claim attempt 2", spans)).toEqual([
    "submission",
    "recover",
    "send start message",
    "startAttempt",
    "claim attempt 2",
  ]);
  const shipping = spans.filter(({ name }) => name === "arrangeShipping").map(({ attributes }) => attributes);
  expect(shipping).toMatchObject([
    { attempt: 1, outcome: "expired" },
    { attempt: 2, outcome: "completed" },
  ]);
  expect(spans.filter(({ name, isError }) => name === "shipping arrange" && isError).length).toBeGreaterThan(2);
  const events = traces[0]?.events.map(({ name }) => name);
  expect(events).toEqual(expect.arrayContaining(["AgentTimedOut", "EndpointHealth", "JobExpired", "JobRetried"]));
});

test("an order without a trace of its own begins one", async () => {
  await app.shop.send(madeOrder("traced-3"));
  const [trace, ...others] = await tracesOf("traced-3");
  expect(others).toEqual([]);
  expect(trace?.spans.find(({ name }) => name === "submission")).toMatchObject({ parentId: null, kind: "consumer" });
});

test("every metric reaches the collector, with the attributes that the alerts split by", async () => {
  const sender = app.bus.createSender("agent-replies");
  const { lockedBy, steps } = await app.eventually("traced-1", ended);
  const about = { step: "checkFraud", direction: "forward", lockedBy: lockedBy ?? "nobody" };
  const late = { ...about, jobId: "traced-1", attempt: 2, nonce: steps["checkFraud"]?.nonce };
  const unverified = { ...about, jobId: "unknown-1", attempt: 1 };
  for (const ticket of [late, unverified]) await sender.sendMessages({ body: { ticket, kind: "done", result: {} } });
  await sender.close();
  await app.call("api/completions/unknown", { method: "POST", body: "{}" });
  // A wait that lasts until it has been measured, however long that takes.
  await pauses("pause");
  await app.shop.send(madeOrder("traced-held"));
  const metrics = () => new Set(read((reader) => reader.points().map(({ metric }) => metric)));
  await expect.poll(metrics).toEqual(new Set<string>(Object.keys(METRICS)));
  const points = read((reader) => reader.points());
  const of = (name: MetricName) => points.filter(({ metric }) => metric === name);
  const stock = of("jobs.by_state").map(({ attributes: { state, kind } }) => [state, kind ?? null]);
  const kinds = OPEN_ERRORS.map((kind) => ["Error", kind]);
  const wanted = [["Pending", null], ["Processing", null], ...kinds];
  expect(stock).toEqual(expect.arrayContaining(wanted));
  // What rests in Error for good is not counted over and over.
  expect(wanted).toEqual(expect.arrayContaining(stock));
  expect(of("jobs.critical_time")).toMatchObject([{ kind: "histogram", unit: "ms", count: 3 }]);
  const queues = ["agent-replies", "agent-requests-fraud", "jobs", "jobs-priority", "scheduler"];
  expect(of("queues.oldest_message_age").map(({ attributes }) => attributes)).toEqual(
    expect.arrayContaining(queues.map((queue) => ({ queue, cause: "notTaken" }))),
  );
  const reserved = { attributes: { agent: "inventory", step: "reserveStock", outcome: "completed" }, count: 4 };
  const durations = () => read((reader) => reader.points()).filter(({ metric }) => metric === "steps.duration");
  await expect.poll(durations).toContainEqual(expect.objectContaining(reserved));
  expect(of("steps.retries").map(({ attributes }) => attributes)).toEqual(
    expect.arrayContaining([
      { agent: "shipping", by: "agent" },
      { agent: "shipping", step: "arrangeShipping", by: "supervisor" },
    ]),
  );
  expect(of("agents.breaker")).toMatchObject([{ attributes: { agent: "shipping" }, value: 0 }]);
  await pauses("resume");
  await tracesOf("traced-held");
});

test("P9 events arrive as log records that Application Insights shows as custom events; an order left in Error is counted", async () => {
  await app.switchOn("payment", {
    kind: "reject",
    status: 402,
    message: "card expired",
    match: { orderId: "traced-4" },
  });
  await app.shop.send(madeOrder("traced-4"));
  await app.eventually("traced-4", ended);
  await expect.poll(() => read((reader) => reader.eventNames().get("JobErrored"))).toBe(1);
  const [error] = read((reader) => reader.eventsNamed("JobErrored"));
  expect(error).toMatchObject({
    severity: "error",
    attributes: { "microsoft.custom_event.name": "JobErrored", jobId: "traced-4", attempt: 1, kind: "rejected" },
  });
  const rejected = () =>
    read((reader) => reader.points()).find(
      ({ metric, attributes }) => metric === "jobs.by_state" && attributes["kind"] === "rejected",
    );
  await expect.poll(() => rejected()?.value).toBe(1);
});

test("every event that came has the attributes that its definition names, and no others", () => {
  const documented = new Map<string, string>(
    Object.entries(EVENTS).map(([name, [, , attributes]]) => [name, attributes]),
  );
  const names = read((reader) => [...reader.eventNames().keys()]);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names)
    for (const { attributes } of read((reader) => reader.eventsNamed(name)))
      for (const attribute of Object.keys(attributes)) {
        if (attribute === "microsoft.custom_event.name") continue;
        expect(documented.get(name)?.match(/\w+/g), name).toContain(attribute);
      }
});

test("neither who ordered nor what pays for it stands in logs, traces or the engine's history", async () => {
  const secrets = ["tok_never_told", "Grace Untold", "untold@example.com", "7 Untold Street"];
  const [paymentToken = "", name = "", email = "", street = ""] = secrets;
  const personal = (orderId: string) => {
    const order = madeOrder(orderId);
    return { ...order, paymentToken, customer: { id: "c-1", email }, shipTo: { ...order.shipTo, name, street } };
  };
  await app.switchOn("payment", { kind: "reject", status: 402, message: "no", match: { orderId: "private-2" } });
  await app.switchOn("shipping", { kind: "reject", status: 422, message: "no", match: { orderId: "private-3" } });
  for (const orderId of ["private-1", "private-2", "private-3"]) {
    await app.shop.send(personal(orderId));
    await tracesOf(orderId);
  }
  await app.shop.send({ ...personal("private-4"), currency: "euro" });
  await expect.poll(async () => (await app.records.quarantined()).length).toBe(1);

  // The store, the bus and the services have the order itself.
  const kept = ["logs", "traces", "host", "azurite"].map((part) => {
    const files = globSync("**/*", { cwd: join(data, part), withFileTypes: true }).filter((one) => one.isFile());
    return { part, text: files.map((one) => readFileSync(join(one.parentPath, one.name), "latin1")).join("\n") };
  });
  for (const { part, text } of kept) {
    if (part !== "azurite") expect(text.includes("private-1"), part).toBe(true);
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${part}`).toBe(false);
  }
});

test("npm start -- --trace prints the tree of an order, also when no stack runs", () => {
  const show = (orderId: string) =>
    spawnSync(process.execPath, ["-C", "sources", join(ROOT, "cli/start.ts"), "--trace", orderId, "--data", data], {
      encoding: "utf8",
    });
  const shown = show("traced-2");
  expect(shown.status, shown.stderr).toBe(0);
  expect(shown.stdout).toMatch(/^traced-2 {2}trace [\da-f]{32} {2}\d+ spans, .*2 attempts/);
  expect(shown.stdout).toMatch(/└─ claim attempt 2 +outcome=claimed/);
  expect(shown.stdout).not.toContain("\x1b[");
  const unknown = show("no-such-order");
  expect(unknown.status).toBe(1);
  expect(unknown.stderr).toContain("No trace of an order no-such-order is kept");
});

test("a host that stops in order sends what it still holds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trace-stop-"));
  const appSettings = { OTEL_BSP_SCHEDULE_DELAY: "600000", OTEL_METRIC_EXPORT_INTERVAL: "600000" };
  const other = await startTestStack({ data: folder, parts: PART_NAMES, appSettings });
  try {
    await other.shop.send(madeOrder("stopped-1"));
    await other.eventually("stopped-1", ended);
    const kept = () => {
      const reader = openTraces(join(folder, "traces"));
      const found = { traces: reader?.tracesWith("jobId", "stopped-1") ?? [], points: reader?.points() ?? [] };
      reader?.close();
      return found;
    };
    expect(kept()).toEqual({ traces: [], points: [] });
    await other.stack.kill("host", "SIGTERM");
    const { traces, points } = kept();
    expect(traces[0]?.spans.map(({ name }) => name)).toContain(THE_END);
    expect(points.map(({ metric }) => metric)).toContain("jobs.critical_time");
  } finally {
    await other[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
