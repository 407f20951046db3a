// Where a span stands: in its job's trace, whatever surrounds it; and that nothing is paid where nothing is traced.
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Invocation, messageTraceparent, observe, observeMessage } from "../../src/telemetry/invocation.ts";
import { describeSpan, failSpan, inSpan, traceWith } from "../../src/telemetry/spans.ts";
import { activeTraceparent, formatTraceparent, fromHere, parseTraceparent } from "../../src/telemetry/trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const OTHER = "1af7651916cd43dd8448eb211c80319c";
const at = (traceId: string, spanId: string) => `00-${traceId}-${spanId.repeat(16)}-01`;
const OWN = at(TRACE, "a");

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());
beforeEach(() => traceWith(provider.getTracer("test")));
afterEach(() => {
  traceWith(undefined);
  exporter.reset();
});

function span(name: string): ReadableSpan {
  const found = exporter.getFinishedSpans().find((one) => one.name === name);
  if (!found) throw new Error(`no span ${name}`);
  return found;
}

const parentOf = (name: string) => {
  const { parentSpanContext } = span(name);
  return parentSpanContext && formatTraceparent(parentSpanContext);
};

function invocation(changes: Partial<Invocation> = {}): Invocation {
  const log = () => undefined;
  return { functionName: "taken", info: log, warn: log, error: log, ...changes };
}

test.each([
  [OWN, OWN],
  ["01-0af7651916cd43dd8448eb211c80319c-aaaaaaaaaaaaaaaa-00-later", at(TRACE, "a").replace(/01$/, "00")],
  ["00-00000000000000000000000000000000-aaaaaaaaaaaaaaaa-01", undefined],
  ["00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", undefined],
  [`${OWN}-and more`, undefined],
  [`${OWN} `, undefined],
  [`${OWN}\n`, undefined],
  [` ${OWN}`, undefined],
  [OWN.replace(/^00/, "ff"), undefined],
  [OWN.replace(/^00/, "01").concat("later"), undefined],
  ["nonsense", undefined],
  [7, undefined],
  [undefined, undefined],
])("traceparent %s", (text, wanted) => {
  const parsed = parseTraceparent(text);
  expect(parsed && formatTraceparent(parsed)).toBe(wanted);
});

test("where nothing is traced, the work's own promise is handed back", () => {
  traceWith(undefined);
  const promise = Promise.resolve(1);
  expect(inSpan("nothing", { traceparent: OWN }, () => promise)).toBe(promise);
  expect(fromHere({ traceparent: OWN })).toEqual({ traceparent: OWN });
  expect(activeTraceparent()).toBeUndefined();
});

test("a span stands in the trace that its job carries, and what is done inside below it", async () => {
  await inSpan("outer", { traceparent: OWN, attributes: { jobId: "o", step: null } }, async () => {
    const here = activeTraceparent();
    expect(fromHere({ traceparent: OWN }).traceparent).toBe(here);
    await inSpan("inner", { traceparent: OWN }, async () => describeSpan({ outcome: "fine" }));
    expect(parentOf("inner")).toBe(here);
  });
  expect(parentOf("outer")).toBe(OWN);
  expect(span("outer").attributes).toEqual({ jobId: "o" });
  expect(span("inner").attributes).toEqual({ outcome: "fine" });
});

test("work for a job from inside another trace has its span in the job's, with a link", async () => {
  await inSpan("sweep", { traceparent: at(OTHER, "b") }, () =>
    inSpan("recover", { traceparent: OWN }, async () => ({ outcome: "applied" })),
  );
  expect(parentOf("recover")).toBe(OWN);
  expect(span("recover").links).toMatchObject([
    { context: { traceId: OTHER, spanId: span("sweep").spanContext().spanId } },
  ]);
  expect(span("recover").attributes["outcome"]).toBe("applied");
});

test("without any context a span begins a trace", async () => {
  await inSpan("first", { traceparent: null }, async () => undefined);
  expect(span("first").parentSpanContext).toBeUndefined();
  expect(trace.isSpanContextValid(span("first").spanContext())).toBe(true);
});

test("the kind of the result is the outcome; an exception fails the span and goes on", async () => {
  await inSpan("claim", {}, async () => ({ kind: "taken" }));
  await expect(inSpan("broken", {}, () => Promise.reject(new Error("store away")))).rejects.toThrow("store away");
  await inSpan("rejected", {}, async () => failSpan("no answer"));
  expect(span("claim").attributes["outcome"]).toBe("taken");
  expect(span("broken").status).toEqual({ code: SpanStatusCode.ERROR, message: "store away" });
  expect(span("broken").events).toMatchObject([{ name: "exception" }]);
  expect(span("rejected").status).toEqual({ code: SpanStatusCode.ERROR, message: "no answer" });
});

test("an activity: below the host's span if that is in the job's trace, else below what the job carries", async () => {
  const host = at(TRACE, "c");
  await observe(
    invocation({ traceContext: { traceParent: host } }),
    { name: "same", traceparent: OWN },
    async () => undefined,
  );
  const stray = invocation({ traceContext: { traceParent: at(OTHER, "d") } });
  await observe(stray, { name: "stray", traceparent: OWN }, async () => undefined);
  await observe(invocation(), { name: "alone", traceparent: OWN }, async () => undefined);
  expect(parentOf("same")).toBe(host);
  expect(parentOf("stray")).toBe(OWN);
  expect(span("stray").links).toHaveLength(1);
  expect(parentOf("alone")).toBe(OWN);
});

test("a message: its consumer's span is ours, unless the host has made one", async () => {
  const message = { triggerMetadata: { applicationProperties: { traceparent: OWN } } };
  await observeMessage(invocation({ ...message, functionName: "bare" }), {}, async () => undefined);
  // A host that traces nothing hands through what the message carries.
  const same = { traceContext: { traceParent: OWN } };
  await observeMessage(invocation({ ...message, ...same, functionName: "through" }), {}, async () => undefined);
  const hosts = { traceContext: { traceParent: at(TRACE, "e") } };
  await observeMessage(invocation({ ...message, ...hosts, functionName: "hosted" }), {}, async () => undefined);
  expect(span("bare")).toMatchObject({ kind: SpanKind.CONSUMER, attributes: { "messaging.system": "servicebus" } });
  expect(span("through").kind).toBe(SpanKind.CONSUMER);
  expect(parentOf("through")).toBe(OWN);
  expect(span("hosted").kind).toBe(SpanKind.INTERNAL);
  expect(parentOf("hosted")).toBe(at(TRACE, "e"));
});

test.each([
  [{ traceparent: OWN, "diagnostic-Id": at(OTHER, "b") }, OWN],
  [{ "diagnostic-Id": OWN }, OWN],
  [{ "Diagnostic-Id": OWN }, OWN],
  [{ traceparent: "nonsense", "Diagnostic-Id": OWN }, OWN],
  [{}, at(OTHER, "c")],
])("the trace of a message with %o", (applicationProperties, wanted) => {
  const host = { traceContext: { traceParent: at(OTHER, "c") } };
  expect(messageTraceparent(invocation({ triggerMetadata: { applicationProperties }, ...host }))).toBe(wanted);
});
