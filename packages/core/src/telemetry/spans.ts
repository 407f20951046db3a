// Spans: stretches of work in the trace of the job that they are done for.

import {
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { asError } from "../domain/thrown.ts";
import type { Attributes } from "./event-names.ts";
import { outgoingAttributes, outgoingError, outgoingText } from "./outgoing.ts";
import { activeSpanContext, parseTraceparent } from "./trace-context.ts";

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** The trace of the job. Absent: that of the surrounding span. */
  readonly traceparent?: string | null | undefined;
  readonly attributes?: Attributes;
}

let tracer: Tracer | undefined;

/** One for the process. Undefined: nothing is traced, and nothing is paid. */
export function traceWith(next: Tracer | undefined): void {
  tracer = next;
}

/**
 * Does the work in a span, which becomes the surrounding one; where nothing is traced it is the work alone. The `kind`,
 * or else the `outcome` or its `kind`, of its result becomes the span's outcome.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracer ? recorded(tracer, name, options, activeSpanContext(), work) : work();
}

/** As `inSpan`, where what surrounds the work is not a span of this process. */
export function inSpanUnder<T>(
  surrounding: SpanContext | undefined,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  return tracer ? recorded(tracer, name, options, surrounding, work) : work();
}

async function recorded<T>(
  by: Tracer,
  name: string,
  { kind = SpanKind.INTERNAL, traceparent, attributes = {} }: SpanOptions,
  surrounding: SpanContext | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { parent, links } = placeOf(parseTraceparent(traceparent), surrounding);
  const under = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  const span = by.startSpan(name, { kind, links, attributes: withoutNulls(attributes) }, under);
  try {
    const result = await context.with(trace.setSpan(under, span), work);
    const outcome = outcomeOf(result);
    if (outcome) span.setAttribute("outcome", outcome);
    return result;
  } catch (cause) {
    fail(span, cause);
    throw cause;
  } finally {
    span.end();
  }
}

/**
 * A span stands in its job's trace: below the surrounding span where that is in the same one, else below what the job
 * carries, and then it is linked to what surrounds it (a sweep, an operator's request, a host that knows nothing of the job).
 */
function placeOf(
  own: SpanContext | undefined,
  surrounding: SpanContext | undefined,
): { readonly parent: SpanContext | undefined; readonly links: Link[] } {
  if (!own || own.traceId === surrounding?.traceId) return { parent: surrounding ?? own, links: [] };
  return { parent: own, links: surrounding ? [{ context: surrounding }] : [] };
}

/** What the surrounding span is further known by. */
export function describeSpan(attributes: Attributes): void {
  trace.getSpan(context.active())?.setAttributes(withoutNulls(attributes));
}

/** The surrounding span stands for something that went wrong, though nothing was thrown. */
export function failSpan(message: string): void {
  trace.getSpan(context.active())?.setStatus({ code: SpanStatusCode.ERROR, message: outgoingText(message) });
}

function fail(span: Span, cause: unknown): void {
  const said = outgoingError(cause);
  const error = asError(said);
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}

function outcomeOf(result: unknown): string | undefined {
  if (result === null || typeof result !== "object") return undefined;
  const { kind, outcome } = result as { readonly kind?: unknown; readonly outcome?: unknown };
  return [kind, outcome, Object(outcome).kind].find((said) => typeof said === "string");
}

/** OpenTelemetry has no null. */
export function withoutNulls(attributes: Attributes): { [name: string]: string | number | boolean } {
  const present = Object.entries(outgoingAttributes(attributes)).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== null,
  );
  return Object.fromEntries(present);
}
