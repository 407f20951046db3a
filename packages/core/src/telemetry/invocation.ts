// One invocation of a function: its span in the job's trace, and where its events go.
import { SpanKind } from "@opentelemetry/api";
import type { Attributes } from "./event-names.ts";
import { type EventLog, logTelemetry, type Telemetry } from "./events.ts";
import { inSpanUnder } from "./spans.ts";
import { parseTraceparent, plainTraceparent } from "./trace-context.ts";

/** What of an invocation's context this needs. */
export interface Invocation extends EventLog {
  readonly functionName: string;
  readonly traceContext?: { readonly traceParent?: string | undefined } | undefined;
  readonly triggerMetadata?: { readonly [name: string]: unknown } | undefined;
}

export interface InvocationSpan {
  /** The span's name; the function's if absent. */
  readonly name?: string;
  readonly kind?: SpanKind;
  /** The trace of the job that it is about. */
  readonly traceparent?: string | null | undefined;
  readonly attributes?: Attributes;
}

/**
 * Where the host has a span of its own for the invocation in the job's trace, ours stands below it; a host that traces nothing
 * hands through what the message carried.
 */
export function observe<T>(
  invocation: Invocation,
  subject: InvocationSpan,
  work: (telemetry: Telemetry) => Promise<T>,
): Promise<T> {
  const { name = invocation.functionName, traceparent, kind = SpanKind.INTERNAL, attributes = {} } = subject;
  const host = parseTraceparent(invocation.traceContext?.traceParent);
  const own = parseTraceparent(traceparent);
  // The consumer's span, or the server's, is then the host's.
  const isHosts = host !== undefined && (!own || (host.traceId === own.traceId && host.spanId !== own.spanId));
  const options = { kind: isHosts ? SpanKind.INTERNAL : kind, traceparent, attributes };
  return inSpanUnder(host, name, options, () => work(logTelemetry(invocation)));
}

/** An invocation by a message: it goes on in the trace that the message carries. */
export function observeMessage<T>(
  invocation: Invocation,
  attributes: Attributes,
  work: (telemetry: Telemetry) => Promise<T>,
): Promise<T> {
  const messaging = { "messaging.system": "servicebus", "messaging.operation.type": "process" };
  const subject = { kind: SpanKind.CONSUMER, traceparent: carriedTraceparent(invocation) };
  return observe(invocation, { ...subject, attributes: { ...messaging, ...attributes } }, work);
}

/** The trace that a message's sender was in: as the message says, or else as the host does. */
export function messageTraceparent(invocation: Invocation): string | null {
  return carriedTraceparent(invocation) ?? plainTraceparent(invocation.traceContext?.traceParent) ?? null;
}

function carriedTraceparent({ triggerMetadata }: Invocation): string | undefined {
  const properties = (triggerMetadata?.["applicationProperties"] ?? {}) as { readonly [name: string]: unknown };
  // The host writes the first letter of a property's name small.
  const carried = [properties["traceparent"], properties["diagnostic-Id"], properties["Diagnostic-Id"]];
  return carried.map(plainTraceparent).find((text) => text !== undefined);
}
