// One call to a remote service over HTTP, and what its answer means to an agent.
import { type Dispatcher, request as httpRequest } from "undici";
import type { StepResult } from "../domain/state-record.ts";
import type { AgentReply, AgentRequest } from "./agent.ts";

/** Answers by which a service says that it can't do the work now: RFC 9110 section 15.5.9, RFC 6585 section 4, and any 5xx. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

export interface HttpServiceCall {
  readonly endpoint: string;
  readonly path: string;
  readonly body: unknown;
  /** What to keep of the service's answer. */
  readonly keep: (answer: { readonly [name: string]: unknown }) => StepResult;
}

/** POSTs with the request's idempotency key. Never throws but for a bug in `keep`; an abort is `unavailable`. */
export async function callService(call: HttpServiceCall, request: AgentRequest): Promise<AgentReply> {
  const { endpoint } = call;
  let response: Dispatcher.ResponseData;
  let answer: { [name: string]: unknown };
  try {
    response = await httpRequest(new URL(call.path, endpoint), {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": request.idempotencyKey },
      body: JSON.stringify(call.body),
      signal: request.signal,
    });
    answer = asObject(await response.body.text());
  } catch (cause) {
    return { kind: "unavailable", message: describe(cause), endpoint };
  }
  const { statusCode } = response;
  if (statusCode >= 200 && statusCode < 300) return { kind: "done", result: call.keep(answer), endpoint };
  const message = typeof answer["message"] === "string" ? answer["message"] : `HTTP ${statusCode}`;
  if (statusCode < 500 && !TRANSIENT_STATUSES.has(statusCode)) return { kind: "rejected", message, endpoint };
  const retryAfterMs = Number(response.headers["retry-after"] ?? Number.NaN) * 1000;
  return { kind: "unavailable", message, endpoint, ...(retryAfterMs >= 0 && { retryAfterMs }) };
}

function asObject(text: string): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as { [name: string]: unknown }) : {};
  } catch {
    return {};
  }
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
