// The collector, as any exporter sees it; and what it keeps.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Span } from "./otlp-json.ts";
import { type RunningTraces, startTraces } from "./start.ts";
import { openTraces, TraceWriter } from "./trace-file.ts";

let folder: string;
let running: RunningTraces;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "traces-"));
  running = await startTraces({ port: 0, data: folder });
});
afterEach(async () => {
  await running.close();
  rmSync(folder, { recursive: true, force: true });
});

function send(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  return fetch(`${running.endpoint}${path}`, init as RequestInit);
}

function read<T>(look: (reader: NonNullable<ReturnType<typeof openTraces>>) => T): T {
  const reader = openTraces(folder);
  if (!reader) throw new Error("nothing is kept");
  try {
    return look(reader);
  } finally {
    reader.close();
  }
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPANS = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: TRACE,
              spanId: "b7ad6b7169203331",
              parentSpanId: "",
              name: "checkout",
              kind: 2,
              startTimeUnixNano: "1800000000000001000",
              endTimeUnixNano: "1800000000250001999",
              attributes: [
                { key: "orderId", value: { stringValue: "o-1" } },
                { key: "items", value: { intValue: "3" } },
                { key: "gift", value: { boolValue: true } },
                { key: "total", value: { doubleValue: 1.5 } },
                { key: "tags", value: { arrayValue: { values: [{ stringValue: "a" }] } } },
                { key: "more", value: { kvlistValue: { values: [{ key: "x", value: { intValue: 1 } }] } } },
              ],
              status: { code: 2, message: "no stock" },
            },
          ],
        },
      ],
    },
  ],
};

test("a span is kept whole and found by an attribute; sent again it is one", async () => {
  for (const body of [JSON.stringify(SPANS), gzipSync(JSON.stringify(SPANS))]) {
    const headers = typeof body === "string" ? {} : { "content-encoding": "gzip" };
    const response = await send("/v1/traces", body, headers as Record<string, string>);
    expect([response.status, await response.json()]).toEqual([200, {}]);
  }
  expect(read((reader) => reader.tracesWith("orderId", "o-1"))).toMatchObject([
    {
      traceId: TRACE,
      spans: [
        {
          spanId: "b7ad6b7169203331",
          parentId: null,
          name: "checkout",
          kind: "server",
          startUs: 1_800_000_000_000_001,
          endUs: 1_800_000_000_250_001,
          attributes: { orderId: "o-1", items: 3, gift: true, total: 1.5, tags: ["a"], more: { x: 1 } },
          isError: true,
          message: "no stock",
          service: "shop",
        },
      ],
    },
  ]);
  expect(read((reader) => reader.tracesWith("orderId", "o-2"))).toEqual([]);
  expect(await (await fetch(`${running.endpoint}/$counts`)).json()).toMatchObject({ spans: 2, commits: 2 });
});

test("events with and without a trace, and the last value of each series", async () => {
  const logRecords = [
    {
      timeUnixNano: "1800000000000001000",
      eventName: "Sold",
      severityText: "info",
      traceId: TRACE,
      spanId: "b7ad6b7169203331",
    },
    { timeUnixNano: "1800000000000002000", body: { stringValue: "a line" }, attributes: [] },
  ];
  await send("/v1/logs", JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
  const metrics = (value: number) => [
    { name: "stock", unit: "1", gauge: { dataPoints: [{ timeUnixNano: "1", asDouble: value, attributes: [] }] } },
    { name: "sold", sum: { dataPoints: [{ timeUnixNano: "1", asInt: String(value) }] } },
    { name: "took", unit: "ms", histogram: { dataPoints: [{ timeUnixNano: "1", sum: value, count: "2" }] } },
  ];
  for (const value of [1, 2])
    await send("/v1/metrics", JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: metrics(value) }] }] }));
  expect(read((reader) => [...reader.eventNames()])).toEqual([
    ["Sold", 1],
    ["a line", 1],
  ]);
  expect(read((reader) => reader.eventsNamed("Sold"))).toMatchObject([{ traceId: TRACE, severity: "info" }]);
  expect(read((reader) => reader.points())).toMatchObject([
    { metric: "sold", kind: "sum", value: 2, count: 1 },
    { metric: "stock", kind: "gauge", value: 2, count: 1 },
    { metric: "took", kind: "histogram", unit: "ms", value: 2, count: 2 },
  ]);
});

test.each([
  ["/v1/traces", "{", {}, 400],
  ["/v1/traces", '{"resourceSpans": 7}', {}, 400],
  ["/v1/traces", "x", { "content-type": "application/x-protobuf" }, 415],
  ["/v1/other", "{}", {}, 404],
])("%s with %s is refused in words", async (path, body, headers, status) => {
  const response = await send(path, body, headers as Record<string, string>);
  expect(response.status).toBe(status);
  expect(((await response.json()) as { message: string }).message).not.toBe("");
});

test("what is kept outlives the collector, which takes up where it was", async () => {
  await send("/v1/traces", JSON.stringify(SPANS));
  await running.close();
  expect(read((reader) => reader.tracesWith("orderId", "o-1"))).toHaveLength(1);
  running = await startTraces({ port: running.port, data: folder });
  const other = JSON.stringify(SPANS).replace("b7ad6b7169203331", "c7ad6b7169203331");
  await send("/v1/traces", other);
  expect(read((reader) => reader.tracesWith("orderId", "o-1"))[0]?.spans).toHaveLength(2);
});

test("a busy port rejects with the port", async () => {
  await expect(startTraces({ port: running.port, data: join(folder, "second") })).rejects.toMatchObject({
    code: "EADDRINUSE",
    port: running.port,
  });
});

test("the oldest go when there are more than are to be kept", async () => {
  const data = join(folder, "bounded");
  const writer = new TraceWriter(data, "normal", { spans: 1500, events: 10 });
  const span = (index: number): Span => ({
    traceId: TRACE,
    spanId: String(index),
    parentId: null,
    name: "one",
    kind: "internal",
    startUs: index,
    endUs: index,
    attributes: { index: String(index), all: "yes" },
    isError: false,
    message: null,
    service: "",
  });
  for (let batch = 0; batch < 5; batch += 1)
    await writer.spans(Array.from({ length: 1000 }, (_, index) => span(batch * 1000 + index)));
  writer.close();
  const reader = openTraces(data);
  const kept = reader?.tracesWith("all", "yes")[0]?.spans ?? [];
  reader?.close();
  expect(kept).toHaveLength(1500);
  expect(kept[0]?.spanId).toBe("3500");
});

test("where nothing was ever kept there is nothing to open", () => {
  expect(openTraces(join(folder, "nowhere"))).toBeUndefined();
});
