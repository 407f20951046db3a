// The W3C trace context, as messages, records and headers carry it: https://www.w3.org/TR/trace-context/#traceparent-header
import { context, isSpanContextValid, type SpanContext, trace } from "@opentelemetry/api";

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/;

/** Undefined for what is no valid traceparent: it may be anyone's. */
export function parseTraceparent(text: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof text === "string" && TRACEPARENT.exec(text)) || [];
  if (!traceId || !spanId || !flags) return undefined;
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parsed) ? parsed : undefined;
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** The span that surrounds the caller; undefined where nothing is traced. */
export function activeSpanContext(): SpanContext | undefined {
  const active = trace.getSpanContext(context.active());
  return active && isSpanContextValid(active) ? active : undefined;
}

export function activeTraceparent(): string | undefined {
  const active = activeSpanContext();
  return active && formatTraceparent(active);
}

/** What carries a trace on, from the span that surrounds the caller; as it is where nothing is traced. */
export function fromHere<T extends { readonly traceparent?: string | null | undefined }>(carrier: T): T {
  const traceparent = activeTraceparent();
  return traceparent ? { ...carrier, traceparent } : carrier;
}
