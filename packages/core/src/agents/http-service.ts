// Calls to a remote service over HTTP, and what its answers mean to an agent.
import { type Dispatcher, request as httpRequest } from "undici";
import { z } from "zod";
import type { StepResult } from "../domain/state-record.ts";
import type { AgentCall, AgentReply, Finding, JobView } from "./agent.ts";
import { BODY_LIMIT_BYTES, ID_LIMIT, readStart } from "./bounds.ts";
import { type AnswerRule, type Meaning, meaningOf } from "./service-answers.ts";

/** The JSON object that a service answered with; empty where it answered with none. */
export type Answer = { readonly [name: string]: unknown };

/** One call that has an effect: what is sent, and what the service's answer means. */
export interface ServiceCall {
  /** Below the endpoint, without a slash at its start. */
  readonly path: string;
  readonly body: unknown;
  /** What to keep of the service's answer; undefined for one that does not say what it has to. */
  readonly keep: (answer: Answer) => StepResult | undefined;
  /** Of a service that may do it later, which it says by a 202: what it calls that. Undefined for an answer that does not say what it has to. */
  readonly reference?: (answer: Answer) => string | undefined;
  /** Whether it is asked for it after the time that its 202 names (`Retry-After`). Without that time it reports by itself. */
  readonly isPolled?: boolean;
  /** Which answers are the service's word on the job; the first rule that fits. Every other is a fault of the endpoint. */
  readonly answers: readonly AnswerRule[];
}

/** A question, which changes nothing. */
export interface LookUp {
  readonly path: string;
  /** Null where the service has nothing; undefined for an answer that does not say what it has to. */
  readonly keep: (answer: Answer) => StepResult | null | undefined;
  readonly answers?: readonly AnswerRule<"rejected" | "later" | "absent">[];
  /** Of a poll: a 202 that says when to ask again (`Retry-After`) means that it is not done yet. */
  readonly isPolled?: boolean;
}

interface ServiceResponse {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly isJson: boolean;
  readonly answer: Answer;
  readonly code: unknown;
  /** For people; without the credential, should the service have sent it back. */
  readonly message: string;
}

type Unavailable = Extract<AgentReply, { kind: "unavailable" }>;

/** POSTs with the request's idempotency key. Never throws but for a bug in `keep`; an abort is `unavailable`. */
export async function callService(service: ServiceCall, call: AgentCall<JobView, unknown>): Promise<AgentReply> {
  const response = await exchange("POST", service.path, JSON.stringify(service.body), call);
  if (response.kind === "unavailable") return response;
  const reference = response.status === ACCEPTED ? service.reference?.(response.answer) : undefined;
  if (reference !== undefined) {
    const retryAfterMs = service.isPolled ? pauseAskedFor(response.headers) : undefined;
    return retryAfterMs === undefined ? { kind: "accepted", reference } : { kind: "pending", retryAfterMs, reference };
  }
  const result = isSuccess(response) ? service.keep(response.answer) : undefined;
  if (result) return { kind: "done", result };
  const meaning = meaningOf(response, service.answers);
  return meaning.means === "rejected" ? rejected(response) : unavailable(response, meaning);
}

/** GETs what the service has. Throws as `callService`. */
export async function lookUp(question: LookUp, call: AgentCall<JobView, unknown>): Promise<Finding> {
  const response = await exchange("GET", question.path, null, call);
  if (response.kind === "unavailable") return response;
  const retryAfterMs = question.isPolled && response.status === ACCEPTED ? pauseAskedFor(response.headers) : undefined;
  if (retryAfterMs !== undefined) return { kind: "pending", retryAfterMs };
  const result = isSuccess(response) ? question.keep(response.answer) : undefined;
  if (result === null) return { kind: "absent" };
  if (result) return { kind: "done", result };
  const meaning = meaningOf(response, question.answers ?? []);
  if (meaning.means === "absent") return { kind: "absent" };
  return meaning.means === "rejected" ? rejected(response) : unavailable(response, meaning);
}

/** One exchange, and after a 401 another one where there is a new credential: by RFC 9110 section 15.5.2 the first did nothing. */
async function exchange(
  method: "GET" | "POST",
  path: string,
  body: string | null,
  call: AgentCall<JobView, unknown>,
): Promise<ServiceResponse | Unavailable> {
  const { credential } = call;
  try {
    const response = await send(method, path, body, call, credential?.value);
    if (response.status !== 401 || !credential) return response;
    const renewed = await credential.renew().catch(() => undefined);
    return renewed === undefined ? response : await send(method, path, body, call, renewed);
  } catch (cause) {
    return { kind: "unavailable", message: describe(cause), mayHaveHappened: !isUnsent(cause) };
  }
}

async function send(
  method: "GET" | "POST",
  path: string,
  body: string | null,
  call: AgentCall<JobView, unknown>,
  secret: string | undefined,
): Promise<ServiceResponse> {
  const { endpoint, idempotencyKey, traceparent, credential, signal } = call;
  const {
    statusCode,
    headers,
    body: stream,
  } = await httpRequest(endpoint + path, {
    method,
    headers: {
      ...(body !== null && { "content-type": "application/json", "idempotency-key": idempotencyKey }),
      ...(traceparent && { traceparent }),
      ...(credential && secret !== undefined && { [credential.header]: secret }),
    },
    body,
    signal,
  });
  const { text, isWhole } = await readStart(stream);
  const answer = isWhole ? objectIn(text) : undefined;
  const own = answer?.["message"];
  return {
    kind: "response",
    status: statusCode,
    headers,
    // One that is cut off can't be parsed; the service still says that it is JSON.
    isJson: answer !== undefined || (!isWhole && /[/+]json\b/i.test(String(headers["content-type"]))),
    answer: answer ?? {},
    code: answer?.["code"],
    message: typeof own === "string" ? without(secret, own) : isWhole ? "" : `an answer over ${BODY_LIMIT_BYTES} bytes`,
  };
}

/** RFC 9110, 15.3.3. */
const ACCEPTED = 202;
const isSuccess = ({ status }: ServiceResponse) => status >= 200 && status < 300;

function rejected({ status, message }: ServiceResponse): AgentReply {
  return { kind: "rejected", message: message || `HTTP ${status}` };
}

function unavailable(response: ServiceResponse, { means, mayHaveHappened }: Meaning<string>): Unavailable {
  const { status, headers, message } = response;
  const text = isSuccess(response) ? "without the expected answer" : message;
  const retryAfterMs = pauseAskedFor(headers);
  return {
    kind: "unavailable",
    message: text === "" ? `HTTP ${status}` : `HTTP ${status}: ${text}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(mayHaveHappened && { mayHaveHappened }),
    ...(means === "misconfigured" && { misconfigured: true }),
  };
}

/** Errors of a connection that did not come about: nobody has the request. */
const UNSENT: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

function isUnsent(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && UNSENT.has(cause.code);
}

/** Keeps the id of what was made, under the name that the record gives it. */
export function keepId(name: string, more?: StepResult): ServiceCall["keep"] {
  return ({ id }) => (isId(id) ? { [name]: id, ...more } : undefined);
}

/**
 * One that is too long is no id: a part of it would name something else. As part of a path `.` and `..` would too, and no encoding changes
 * that (URL standard, "double-dot URL path segment").
 */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= ID_LIMIT && !/^\.{1,2}$/.test(value);
}

/** What `keepId` keeps, for results that are declared. */
export const serviceId = z.string().refine(isId, `must be an id of at most ${ID_LIMIT} characters`);

/** Of a poll: a service that has nothing under that reference, or says again that it accepted it, has not done it. */
export function notYet(finding: Finding): Exclude<AgentReply, { kind: "accepted" }> {
  if (finding.kind !== "absent" && finding.kind !== "accepted") return finding;
  return { kind: "unavailable", message: "the service knows nothing of what it accepted" };
}

/** What a service that does it later calls that. */
export const referenceId: NonNullable<ServiceCall["reference"]> = ({ id }) => (isId(id) ? id : undefined);

/** What `keepStatus` keeps. */
export const statusResult = z.object({ status: z.string().nullable() });

/** Keeps what became of a thing that was there before. */
export const keepStatus: ServiceCall["keep"] = ({ status }) => ({ status: isId(status) ? status : null });

/**
 * How the service knows what a step made, as a segment of a path: by the recorded id, or where its outcome is unknown
 * by its key. A service that never saw that key has nothing to compensate, and rejects what may still arrive under it.
 */
export function whatToCompensate(call: AgentCall<JobView, unknown>, name: string): string {
  if (!call.compensates) throw new Error(`nothing to compensate was named under the key ${call.idempotencyKey}`);
  const { result, idempotencyKey } = call.compensates;
  const recorded = result?.[name];
  const id = typeof recorded === "number" ? String(recorded) : recorded;
  return encodeURIComponent(isId(id) ? id : `key:${idempotencyKey}`);
}

/** RFC 9110 section 10.2.3: seconds, or a date, which is read by the service's own clock where it says it. */
function pauseAskedFor(headers: Dispatcher.ResponseData["headers"]): number | undefined {
  const asked = headers["retry-after"];
  if (typeof asked !== "string") return undefined;
  const seconds = Number(asked);
  const ms = Number.isNaN(seconds) ? Date.parse(asked) - Date.parse(String(headers["date"])) : seconds * 1000;
  return ms >= 0 ? ms : undefined;
}

function objectIn(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}

/** A service may say what it was sent: a credential is not to come into a record or a log that way. */
function without(secret: string | undefined, text: string): string {
  // "Bearer xyz": the second word alone is the secret.
  const token = secret?.trim().split(" ").at(-1);
  return token ? text.replaceAll(token, "…") : text;
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { message, cause: inner } = cause;
  const first = cause instanceof AggregateError ? cause.errors.map(describe).join("; ") : message;
  return inner instanceof Error ? `${first}: ${inner.message}` : first || cause.name;
}
