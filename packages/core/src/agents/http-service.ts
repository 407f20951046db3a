// Calls to a remote service over HTTP, and the meaning of its answers for an agent.

import { type Dispatcher, request as httpRequest } from "undici";
import { z } from "zod";
import { textOfBody } from "../domain/content/body-text.ts";
import { lostOf, parseExactly } from "../domain/content/exact-json.ts";
import { HIDDEN } from "../domain/content/job.ts";
import { valueWithout } from "../domain/content/redactor.ts";
import type { StepResult } from "../domain/record/state-record.ts";
import { inWords, isThrown } from "../domain/thrown.ts";
import type { AgentCall, AgentReply, Finding, JobView } from "./agent.ts";
import { BODY_LIMIT_BYTES, ID_LIMIT, readStart } from "./bounds.ts";
import { type AnswerRule, type Meaning, meaningOf, subjectOf } from "./service-answers.ts";

/** The JSON object in a service's answer; empty if there is none. */
export type AnswerBody = { readonly [name: string]: unknown };

/** One call with an effect: the request, and the meaning of the service's answer. */
export interface ServiceCall {
  /** Below the endpoint, without a slash at its start. */
  readonly path: string;
  readonly body: unknown;
  /** The result to keep of the service's answer; undefined if the answer is not valid. */
  readonly keep: (answer: AnswerBody) => StepResult | undefined;
  /** For a service that answers 202 and does it later: the service's own id for the work. Undefined if the answer is not valid. */
  readonly reference?: (answer: AnswerBody) => string | undefined;
  /** Whether the app polls after the time in its 202 (`Retry-After`). Without that time the service reports. */
  readonly isPolled?: boolean;
  /** The answers that are a decision about the job; the first matching rule applies. Every other answer is a fault of the endpoint. */
  readonly answers: readonly AnswerRule[];
}

/** A query, which has no effect. */
export interface LookUp {
  readonly path: string;
  /** Null if the service has no such thing; undefined if the answer is not valid. */
  readonly keep: (answer: AnswerBody) => StepResult | null | undefined;
  readonly answers?: readonly AnswerRule<"rejected" | "later" | "absent">[];
  /** For a poll: a 202 with `Retry-After` means that the work is not done yet. */
  readonly isPolled?: boolean;
}

interface ServiceResponse {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly isJson: boolean;
  readonly answer: AnswerBody;
  readonly code: unknown;
  /** For people. */
  readonly message: string;
  /** The reason why there is no answer in the body. */
  readonly fault: string | undefined;
}

type Unavailable = Extract<AgentReply, { kind: "unavailable" }>;

/** Sends a POST with the request's idempotency key. It throws only for a bug in `keep`; an abort returns `unavailable`. */
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

/** Sends a GET, which has no effect. Throws as `callService`. */
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

/** One exchange, and after a 401 another one if there is a new credential: by RFC 9110 section 15.5.2 the first had no effect. */
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
    return notAnswered(cause);
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
  const { bytes, isWhole } = await readStart(stream);
  const { answer, fault } = isWhole ? without(secret, readAnswer(bytes, headers)) : TOO_LONG;
  const own = answer?.["message"];
  return {
    kind: "response",
    status: statusCode,
    headers,
    // A truncated body can't be parsed; its headers still declare JSON.
    isJson: answer !== undefined || (!isWhole && /[/+]json\b/i.test(String(headers["content-type"]))),
    answer: answer ?? {},
    code: answer?.["code"],
    message: typeof own === "string" ? own : (fault ?? ""),
    fault,
  };
}

/** RFC 9110, 15.3.3. */
const ACCEPTED = 202;
const isSuccess = ({ status }: ServiceResponse) => status >= 200 && status < 300;

function rejected({ status, message }: ServiceResponse): AgentReply {
  return { kind: "rejected", message: message || `HTTP ${status}` };
}

function unavailable(response: ServiceResponse, { means, mayHaveHappened }: Meaning<string>): Unavailable {
  const { status, headers, message, fault } = response;
  const text = isSuccess(response) ? (fault ?? "without the expected answer") : message;
  const retryAfterMs = pauseAskedFor(headers);
  const about = subjectOf(status);
  return {
    kind: "unavailable",
    message: text === "" ? `HTTP ${status}` : `HTTP ${status}: ${text}`,
    inShort: `HTTP ${status}`,
    ...(about !== "endpoint" && { about }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(mayHaveHappened && { mayHaveHappened }),
    ...(means === "misconfigured" && { misconfigured: true }),
  };
}

/** Errors of a connection that was not established: no service received the request. */
const UNSENT: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** The job's part of the address or of a header made a request that can't be sent. */
const INVALID: ReadonlySet<unknown> = new Set(["ERR_INVALID_URL", "UND_ERR_INVALID_ARG"]);

function notAnswered(cause: unknown): Unavailable {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const isInvalid = INVALID.has(code);
  const text = describe(cause);
  return {
    kind: "unavailable",
    message: typeof code === "string" && !text.includes(code) ? `${code}: ${text}` : text,
    inShort: typeof code === "string" ? code : "no answer",
    mayHaveHappened: !UNSENT.has(code) && !isInvalid,
    ...(isInvalid && { about: "request", misconfigured: true }),
  };
}

/** Keeps the `id` of the answer, under the given name. */
export function keepId(name: string): ServiceCall["keep"] {
  return (answer) => {
    const id = idIn(answer);
    return id === undefined ? undefined : { [name]: id };
  };
}

/** The id in the answer: as text, also where the service's ids are whole numbers. */
export const idIn = ({ id }: AnswerBody): string | undefined => textOfId(id);

/** A whole number that a double can't hold is a text already (`readAnswer`). */
function textOfId(id: unknown): string | undefined {
  const text = Number.isSafeInteger(id) ? String(id) : id;
  return isId(text) ? text : undefined;
}

/**
 * A text that is too long is not an id: a part of it would name another thing. In a path `.` and `..` would too, and no encoding changes that (URL
 * standard, "double-dot URL path segment").
 */
function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= ID_LIMIT && !/^\.{1,2}$/.test(value);
}

/** The schema of such an id, for declared results. */
export const serviceId = z.string().refine(isId, `must be an id of at most ${ID_LIMIT} characters`);

/** For a poll: turns `absent` and `accepted` into "not done yet". */
export function notYet(finding: Finding): Exclude<AgentReply, { kind: "accepted" }> {
  if (finding.kind !== "absent" && finding.kind !== "accepted") return finding;
  return { kind: "unavailable", message: "the service knows nothing of what it accepted" };
}

/** The status in the answer, null if it has none. */
export const statusIn = ({ status }: AnswerBody): string | null => (isId(status) ? status : null);

/**
 * The id of a step's effect, as a segment of a path: the recorded id, or the idempotency key if the outcome is unknown.
 * A service that does not know the key has nothing to compensate. It has to reject later requests under it.
 */
export function whatToCompensate(call: AgentCall<JobView, unknown>, name: string): string {
  if (!call.compensates) throw new Error(`nothing to compensate was named under the key ${call.idempotencyKey}`);
  const { result, idempotencyKey } = call.compensates;
  // A number that has lost digits, or a text without its secret, would name another thing than the key does.
  const id = textOfId(result?.[name]);
  return encodeURIComponent(id === undefined || id.includes(HIDDEN) ? `key:${idempotencyKey}` : id);
}

/** RFC 9110 section 10.2.3: seconds, or a date, which is compared with the service's own clock if the answer contains it. */
function pauseAskedFor(headers: Dispatcher.ResponseData["headers"]): number | undefined {
  const asked = headers["retry-after"];
  if (typeof asked !== "string") return undefined;
  const seconds = Number(asked);
  const ms = Number.isNaN(seconds) ? Date.parse(asked) - Date.parse(String(headers["date"])) : seconds * 1000;
  return ms >= 0 ? ms : undefined;
}

interface ReadAnswer {
  readonly answer?: AnswerBody | undefined;
  readonly fault?: string | undefined;
}

const TOO_LONG: ReadAnswer = { fault: `an answer over ${BODY_LIMIT_BYTES} bytes` };

/** In the charset that its header declares. A number beyond 2^53 is its text: it is an id, which is passed on as it came. */
function readAnswer(bytes: Buffer, headers: Dispatcher.ResponseData["headers"]): ReadAnswer {
  const read = textOfBody(bytes, String(headers["content-type"] ?? ""));
  if (read.kind === "unreadable") return { fault: `an answer that ${read.fault}` };
  try {
    const value = parseExactly(read.text);
    if (value === null || typeof value !== "object") return {};
    // Which of the two would be compensated?
    const [repeated] = lostOf(read.text).repeated;
    return repeated === undefined ? { answer: value as AnswerBody } : { fault: `an answer that has ${repeated} twice` };
  } catch {
    return {};
  }
}

/** A service may repeat the request in its answer, in whatever member: this keeps the credential out of results, records and logs. */
function without(secret: string | undefined, read: ReadAnswer): ReadAnswer {
  // "Bearer xyz": only the second word is the secret.
  const token = secret?.trim().split(" ").at(-1);
  return token ? valueWithout(read, [token]) : read;
}

function describe(cause: unknown): string {
  if (!isThrown(Error, cause)) return inWords(cause);
  const { message, cause: inner } = cause;
  const first = cause instanceof AggregateError ? cause.errors.map(describe).join("; ") : message;
  return inner instanceof Error ? `${first}: ${inner.message}` : first || cause.name;
}
