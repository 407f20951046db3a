// What goes over the wire: to an OTLP collector, and to Application Insights' ingestion, each as a server sees it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTraces, type RunningTraces, startTraces } from "@scheduler-agent-supervisor/local/traces";
import { afterEach, expect, test, vi } from "vitest";
import { type EventLog, logTelemetry } from "../../src/telemetry/events.ts";
import { recordingExceptions } from "../../src/telemetry/exceptions.ts";
import { azureMonitor, parseAuthentication, type TelemetrySettings } from "../../src/telemetry/exporters.ts";
import { measure } from "../../src/telemetry/metrics.ts";
import { startSdk } from "../../src/telemetry/sdk.ts";
import { inSpan } from "../../src/telemetry/spans.ts";
import { flushTelemetry, isExporting, startTelemetry, stopTelemetry } from "../../src/telemetry/start.ts";

const OFF: TelemetrySettings = {
  connectionString: undefined,
  authentication: undefined,
  otlpEndpoint: undefined,
  sendWithinMs: 60_000,
  metricsEveryMs: 60_000,
  tracesKept: 1,
  serviceName: "jobs-test",
  instance: "one",
};
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-aaaaaaaaaaaaaaaa-01";

const lines: string[] = [];
const line = (text: string) => void lines.push(text);
const log: EventLog = { info: line, warn: line, error: line };

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  await stopTelemetry();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  vi.unstubAllEnvs();
  lines.length = 0;
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "exporters-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function sayOneOfEach(): Promise<void> {
  await inSpan("claim", { traceparent: TRACEPARENT, attributes: { jobId: "o-1" } }, async () => {
    logTelemetry(log).event("JobErrored", { jobId: "o-1", attempt: 2, kind: "expired", step: null });
    return { kind: "claimed" };
  });
  measure("queues.oldest_message_age", 12, { queue: "jobs" });
  measure("agents.timeouts", 1, { agent: "payment", step: "takePayment" });
}

async function collector(folder: string, port = 0): Promise<RunningTraces> {
  const running = await startTraces({ port, data: folder });
  cleanups.push(() => running.close());
  return running;
}

test("nowhere to send to: nothing is loaded, an event is its line in the log", async () => {
  expect(isExporting(OFF)).toBe(false);
  await startTelemetry(OFF);
  await sayOneOfEach();
  await flushTelemetry(1000);
  expect(lines).toEqual(['{"event":"JobErrored","jobId":"o-1","attempt":2,"kind":"expired","step":null}']);
});

test("OTLP: spans, events with their span, metrics; and the log as ever", async () => {
  const folder = temporaryFolder();
  const { endpoint } = await collector(folder);
  await startTelemetry({ ...OFF, otlpEndpoint: endpoint });
  await sayOneOfEach();
  await flushTelemetry(5000);
  const reader = openTraces(folder);
  cleanups.push(() => reader?.close());
  const [trace, ...others] = reader?.tracesWith("jobId", "o-1") ?? [];
  expect(others).toEqual([]);
  expect(trace).toMatchObject({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spans: [
      {
        name: "claim",
        parentId: "a".repeat(16),
        service: "jobs-test",
        attributes: { jobId: "o-1", outcome: "claimed" },
      },
    ],
    events: [
      {
        name: "JobErrored",
        severity: "error",
        spanId: trace?.spans[0]?.spanId,
        attributes: { kind: "expired", attempt: 2 },
      },
    ],
  });
  expect(reader?.points()).toMatchObject([
    { metric: "agents.timeouts", kind: "sum", value: 1, attributes: { agent: "payment", step: "takePayment" } },
    { metric: "queues.oldest_message_age", kind: "gauge", unit: "s", value: 12 },
  ]);
  expect(lines).toHaveLength(1);
});

test("of traces only a part may be kept; events and metrics are kept all the same", async () => {
  const folder = temporaryFolder();
  const { endpoint } = await collector(folder);
  // The smallest part there is: the trace id above is not in it.
  await startTelemetry({ ...OFF, otlpEndpoint: endpoint, tracesKept: Number.MIN_VALUE });
  await sayOneOfEach();
  await flushTelemetry(5000);
  const reader = openTraces(folder);
  cleanups.push(() => reader?.close());
  expect(reader?.tracesWith("jobId", "o-1")).toEqual([]);
  expect(reader?.eventNames()).toEqual(new Map([["JobErrored", 1]]));
  expect(reader?.points()).toHaveLength(2);
});

test("a collector that is away costs no more than the limit of the flush, and nothing throws", async () => {
  const folder = temporaryFolder();
  const { endpoint, close } = await collector(folder);
  await close();
  cleanups.pop();
  await startTelemetry({ ...OFF, otlpEndpoint: endpoint });
  await sayOneOfEach();
  const begun = performance.now();
  await flushTelemetry(300);
  expect(performance.now() - begun).toBeLessThan(5000);
});

interface Envelope {
  readonly tags: Record<string, string>;
  readonly data: { readonly baseType: string; readonly baseData: Record<string, unknown> };
}

test("Application Insights: an event is a custom event of its name, what a function throws an exception, a span a dependency of its trace, a gauge a metric", async () => {
  vi.stubEnv("APPLICATION_INSIGHTS_NO_STATSBEAT", "true");
  const envelopes: Envelope[] = [];
  const httpClient: NonNullable<Parameters<typeof azureMonitor>[0]["httpClient"]> = {
    async sendRequest(request) {
      const items = JSON.parse(String(request.body)) as Envelope[];
      envelopes.push(...items);
      const received = { itemsReceived: items.length, itemsAccepted: items.length, errors: [] };
      return { request, status: 200, headers: request.headers, bodyAsText: JSON.stringify(received) };
    },
  };
  const connectionString =
    "InstrumentationKey=00000000-0000-0000-0000-000000000000;IngestionEndpoint=https://nowhere.test/";
  const sdk = startSdk(OFF, [azureMonitor({ connectionString, httpClient })]);
  cleanups.push(() => sdk.stop());
  await sayOneOfEach();
  const invocation = { functionName: "supervisor", invocationId: "i-1", traceContext: { traceParent: TRACEPARENT } };
  const failing = recordingExceptions(invocation, () => {
    throw new TypeError("broken", { cause: new Error("the cause") });
  });
  await expect(failing).rejects.toThrow("broken");
  await sdk.flush(8000);
  const of = (baseType: string) => envelopes.filter(({ data }) => data.baseType === baseType);
  const [event] = of("EventData");
  expect(event?.data.baseData).toMatchObject({
    name: "JobErrored",
    properties: { jobId: "o-1", kind: "expired", attempt: "2" },
  });
  const [span] = of("RemoteDependencyData");
  expect(span?.data.baseData).toMatchObject({ name: "claim", properties: { jobId: "o-1", outcome: "claimed" } });
  for (const envelope of [event, span])
    expect(envelope?.tags).toMatchObject({
      "ai.operation.id": "0af7651916cd43dd8448eb211c80319c",
      "ai.cloud.role": "jobs-test",
    });
  const [exception, ...others] = of("ExceptionData");
  expect(others).toEqual([]);
  expect(exception?.tags).toMatchObject({ "ai.operation.id": "0af7651916cd43dd8448eb211c80319c" });
  expect(exception?.data.baseData).toMatchObject({
    exceptions: [
      { typeName: "TypeError", message: "broken", stack: expect.stringContaining("caused by Error: the cause") },
    ],
    properties: { "faas.name": "supervisor" },
  });
  const metrics = of("MetricData").map(({ data }) => data.baseData);
  expect(metrics).toContainEqual(
    expect.objectContaining({
      metrics: [expect.objectContaining({ name: "queues.oldest_message_age", value: 12 })],
      properties: expect.objectContaining({ queue: "jobs" }),
    }),
  );
});

test.each([
  ["Authorization=AAD;ClientId=11aa", { isEntra: true, clientId: "11aa" }],
  ["ClientId=11aa;Authorization=AAD", { isEntra: true, clientId: "11aa" }],
  [" authorization = aad ", { isEntra: true, clientId: undefined }],
  ["", { isEntra: false, clientId: undefined }],
  [undefined, { isEntra: false, clientId: undefined }],
])("signing in by %s", (text, wanted) => expect(parseAuthentication(text)).toEqual(wanted));
