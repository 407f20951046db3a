// The W3C trace context, as messages, records and headers carry it: https://www.w3.org/TR/trace-context/#traceparent-header
import { context, isSpanContextValid, type SpanContext, trace } from "@opentelemetry/api";

/** Version 00 ends after the flags; a later one may go on after a dash, and ff is none. */
const TRACEPARENT =
  /^(?:00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})|(?!00|ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?)$/;

/** Undefined for what is no valid traceparent: it may be anyone's. */
export function parseTraceparent(text: unknown): SpanContext | undefined {
  const parts = (typeof text === "string" && TRACEPARENT.exec(text)) || [];
  const [traceId, spanId, flags] = parts.slice(1).filter((part) => part !== undefined);
  if (!traceId || !spanId || !flags) return undefined;
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parsed) ? parsed : undefined;
}

/** As it is stored and sent on: what is parsed of it, and nothing that follows. Undefined for what is no valid traceparent. */
export function plainTraceparent(text: unknown): string | undefined {
  const parsed = parseTraceparent(text);
  return parsed && formatTraceparent(parsed);
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
