// One call to a remote service over HTTP, and what its answer means to an agent.
import { type Dispatcher, request as httpRequest } from "undici";
import type { StepResult } from "../domain/state-record.ts";
import type { AgentReply, AgentRequest } from "./agent.ts";

/** Client errors by which any service says "not now": RFC 9110 section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

export type Answer = { readonly [name: string]: unknown };

export interface ServiceCall {
  /** Below the endpoint, without a slash at its start. */
  readonly path: string;
  readonly body: unknown;
  /** What to keep of the service's answer; undefined for one that does not say what it has to. */
  readonly keep: (answer: Answer) => StepResult | undefined;
  /** The service's own rule: whether a client error is final. Absent: each is, but those that mean "not now". */
  readonly isFinal?: (status: number, code: unknown) => boolean;
}

/** POSTs with the request's idempotency key. Never throws but for a bug in `keep`; an abort is `unavailable`. */
export async function callService(call: ServiceCall, request: AgentRequest): Promise<AgentReply> {
  let response: Dispatcher.ResponseData;
  let answer: Answer;
  try {
    response = await httpRequest(request.endpoint + call.path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": request.idempotencyKey,
        ...(request.traceparent && { traceparent: request.traceparent }),
      },
      body: JSON.stringify(call.body),
      signal: request.signal,
    });
    answer = asObject(await response.body.text());
  } catch (cause) {
    return { kind: "unavailable", message: describe(cause), unanswered: !isUnheard(cause) };
  }
  const { statusCode: status } = response;
  if (status >= 200 && status < 300) {
    const result = call.keep(answer);
    // The same key gets the same answer: asking again loses nothing.
    return result
      ? { kind: "done", result }
      : { kind: "unavailable", message: `HTTP ${status} without the expected answer` };
  }
  const message = typeof answer["message"] === "string" ? answer["message"] : `HTTP ${status}`;
  if (status < 500 && !TRANSIENT_STATUSES.has(status) && (call.isFinal?.(status, answer["code"]) ?? true)) {
    return { kind: "rejected", message };
  }
  const retryAfterMs = pauseAskedFor(response.headers);
  return { kind: "unavailable", message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Nobody took the connection, so nobody has the request. */
function isUnheard(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}

/** Keeps the id of what was made, under the name that the record gives it. */
export function keepId(name: string, more?: StepResult): ServiceCall["keep"] {
  return ({ id }) => (typeof id === "string" && id !== "" ? { [name]: id, ...more } : undefined);
}

/** Keeps what became of a thing that was there before. */
export const keepStatus: ServiceCall["keep"] = ({ status }) => ({ status: typeof status === "string" ? status : null });

/**
 * How the service knows what a step made, as a segment of a path: by the recorded id, or where its outcome is unknown
 * by its key. A service that never saw that key has nothing to undo, and refuses what may still arrive under it.
 */
export function whatToUndo(request: AgentRequest, name: string): string {
  if (!request.undoes) throw new Error(`nothing to undo was named under the key ${request.idempotencyKey}`);
  const { result, idempotencyKey } = request.undoes;
  return encodeURIComponent(String(result?.[name] ?? `key:${idempotencyKey}`));
}

/** RFC 9110 section 10.2.3: seconds, or a date, which is read by the service's own clock where it says it. */
function pauseAskedFor(headers: Dispatcher.ResponseData["headers"]): number | undefined {
  const asked = headers["retry-after"];
  if (typeof asked !== "string") return undefined;
  const seconds = Number(asked);
  const ms = Number.isNaN(seconds) ? Date.parse(asked) - Date.parse(String(headers["date"])) : seconds * 1000;
  return ms >= 0 ? ms : undefined;
}

function asObject(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as Answer) : {};
  } catch {
    return {};
  }
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { message, cause: inner } = cause;
  const first = cause instanceof AggregateError ? cause.errors.map(describe).join("; ") : message;
  return inner instanceof Error ? `${first}: ${inner.message}` : first || cause.name;
}
