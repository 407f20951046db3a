// What a function throws, as a record of its own. A host that is notified of a worker with OpenTelemetry sends none for it, and a span's own
// record of an exception is dropped with its trace where only a part of the traces is kept.

import { context, trace } from "@opentelemetry/api";
import { asError } from "../domain/thrown.ts";
import { outgoingError } from "./outgoing.ts";
import { parseTraceparent } from "./trace-context.ts";

/** What of an invocation's context this needs. */
export interface FunctionRun {
  readonly functionName: string;
  readonly invocationId: string;
  readonly traceContext?: { readonly traceParent?: string | undefined } | undefined;
}

/** By the names of OpenTelemetry's semantic conventions, "Exceptions in logs" and "Function as a Service". */
interface ExceptionRecord {
  readonly "exception.type": string;
  readonly "exception.message": string;
  readonly "exception.stacktrace": string;
  readonly "faas.name": string;
  readonly "faas.invocation_id": string;
}

let listener: ((record: ExceptionRecord) => void) | undefined;

/** One for the process: its exporters. Undefined ends it. */
export function listenToExceptions(next: typeof listener): void {
  listener = next;
}

/**
 * Runs a function's body. What it throws is recorded once, in the trace that the host has for the invocation, and thrown on: without the app's own
 * keys, because the host logs it.
 */
export async function recordingExceptions<T>(run: FunctionRun, body: () => T | Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (cause) {
    const host = parseTraceparent(run.traceContext?.traceParent);
    const active = context.active();
    const said = outgoingError(cause);
    context.with(host ? trace.setSpanContext(active, host) : active, () => listener?.(recordOf(said, run)));
    throw said;
  }
}

function recordOf(said: unknown, { functionName, invocationId }: FunctionRun): ExceptionRecord {
  const error = asError(said);
  return {
    "exception.type": error.name,
    "exception.message": error.message,
    "exception.stacktrace": stackOf(error),
    "faas.name": functionName,
    "faas.invocation_id": invocationId,
  };
}

/** With what led to it, which a stack does not show. */
function stackOf(error: Error): string {
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}
