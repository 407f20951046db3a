// One exchange with a remote service over HTTP: the request, and what its answer says, whatever its form.
import { type Dispatcher, request as httpRequest } from "undici";
import { textOfBody } from "../domain/content/body-text.ts";
import { lostOf, parseExactly } from "../domain/content/exact-json.ts";
import { valueWithout } from "../domain/content/redactor.ts";
import { inWords, isThrown } from "../domain/thrown.ts";
import type { AgentCall, JobView } from "./agent.ts";
import { BODY_LIMIT_BYTES, readStart, unpacked } from "./bounds.ts";
import { dispatcherFor } from "./service-dispatcher.ts";

/** The JSON object in a service's answer; empty if there is none. */
export type AnswerBody = { readonly [name: string]: unknown };

export interface ServiceResponse {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly isJson: boolean;
  readonly answer: AnswerBody;
  readonly code: unknown;
  /** It names its fault in JSON, as a service does and a gateway seldom. */
  readonly isNamed: boolean;
  /** The service's own words, for people; empty if it has none. */
  readonly words: string;
  /** The reason why there is no answer in the body. */
  readonly fault: string | undefined;
}

export interface NoResponse {
  readonly kind: "none";
  readonly why: "notSendable" | "notSent" | "unanswered";
  readonly message: string;
  readonly inShort: string;
}

interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body: string | null;
}

type Call = AgentCall<JobView, unknown>;

/**
 * One exchange; after a 401 another one if there is a new credential, for the first had no effect (RFC 9110 section 15.5.2); and after a 303 to a
 * resource of the same endpoint, that resource in its place (section 15.4.4).
 */
export async function exchange(asked: Asked, call: Call): Promise<ServiceResponse | NoResponse> {
  const { credential } = call;
  let isSent = false;
  const sendWith = (secret: string | undefined) => {
    isSent = false;
    return send(asked, call, secret, () => {
      isSent = true;
    });
  };
  try {
    const response = await sendWith(credential?.value);
    if (response.status === SEE_OTHER && asked.method === "POST") return await seeOther(response, call);
    if (response.status !== 401 || !credential) return response;
    const renewed = await credential.renew().catch(() => undefined);
    return renewed === undefined ? response : await sendWith(renewed);
  } catch (cause) {
    return notAnswered(cause, isSent);
  }
}

const SEE_OTHER = 303;

/** The resource that a 303 leads to, if it can be read; else the 303. Another server gets no credential and no request. */
async function seeOther(response: ServiceResponse, call: Call): Promise<ServiceResponse> {
  const { endpoint } = call;
  const { location } = response.headers;
  const to = typeof location === "string" ? URL.parse(location, endpoint) : null;
  if (to?.origin !== new URL(endpoint).origin) return response;
  const path = { method: "GET", path: to.pathname.slice(1) + to.search, body: null } as const;
  const resource = await exchange(path, { ...call, endpoint: `${to.origin}/` });
  if (resource.kind === "response" && isSuccess(resource)) return resource;
  const why = resource.kind === "none" ? resource.message : `HTTP ${resource.status}`;
  return { ...response, words: `to ${to.pathname.slice(0, 100)}, which answered ${why}` };
}

export const isSuccess = ({ status }: Pick<ServiceResponse, "status">) => status >= 200 && status < 300;

async function send(
  { method, path, body }: Asked,
  { endpoint, idempotencyKey, traceparent, credential, signal, wire }: Call,
  secret: string | undefined,
  onSent: () => void,
): Promise<ServiceResponse> {
  const dispatcher = dispatcherFor(() => {
    if (wire) wire.isSent = true;
    onSent();
  });
  const response = await httpRequest(endpoint + path, {
    dispatcher,
    method,
    headers: {
      ...(body !== null && { "content-type": "application/json", "idempotency-key": idempotencyKey }),
      ...(traceparent && { traceparent }),
      ...(credential && secret !== undefined && { [credential.header]: secret }),
    },
    body,
    signal,
  });
  const { statusCode: status, headers } = response;
  const { bytes, isWhole } = await readStart(response.body);
  const { answer, fault } = isWhole ? without(secret, readAnswer(bytes, headers)) : TOO_LONG;
  return {
    kind: "response",
    status,
    headers,
    // A truncated body can't be parsed; its headers still declare JSON.
    isJson: answer !== undefined || (!isWhole && /[/+]json\b/i.test(String(headers["content-type"]))),
    answer: answer ?? {},
    code: answer?.["code"],
    isNamed: answer !== undefined && isNamed(answer),
    words: (answer && wordsIn(answer)) ?? fault ?? "",
    fault,
  };
}

/** What JSON APIs name the words of a fault by: RFC 9457, RFC 6749, and the usual. */
const WORDS = ["message", "detail", "error_description", "title", "reason", "error", "errors"];

/** The service's own words in an answer. */
export function wordsIn(answer: AnswerBody, levels = 2): string | undefined {
  for (const name of WORDS) {
    const value = Array.isArray(answer[name]) ? answer[name][0] : answer[name];
    if (typeof value === "string" && value !== "") return value;
    const inner = levels > 0 && isObject(value) ? wordsIn(value, levels - 1) : undefined;
    if (inner !== undefined) return inner;
  }
  const { code } = answer;
  return typeof code === "string" && code !== "" ? code : undefined;
}

/** A code, whatever it is called: RFC 9457's `type`, RFC 6749's `error`, and that of the API guidelines of Microsoft and Google. */
export function isNamed({ code, type, error, errors }: AnswerBody): boolean {
  const [inner = error] = Array.isArray(errors) ? errors : [];
  if (isObject(inner)) return isNamed(inner);
  const names = [code, inner, type === "about:blank" ? undefined : type];
  return names.some((name) => (typeof name === "string" && /^\S+$/.test(name)) || typeof name === "number");
}

const isObject = (value: unknown): value is AnswerBody => typeof value === "object" && value !== null;

/** The job's part of the address or of a header made a request that can't be sent. */
const NOT_SENDABLE: ReadonlySet<unknown> = new Set(["ERR_INVALID_URL", "UND_ERR_INVALID_ARG"]);

function notAnswered(cause: unknown, isSent: boolean): NoResponse {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const text = describe(cause);
  return {
    kind: "none",
    why: NOT_SENDABLE.has(code) ? "notSendable" : isSent && !isTlsAlert(cause) ? "unanswered" : "notSent",
    message: typeof code === "string" && !text.includes(code) ? `${code}: ${text}` : text,
    inShort: typeof code === "string" ? code : "no answer",
  };
}

/** What answered speaks TLS, and could not read the request: its alert (RFC 8446 section 5.1) stands where a status line should. */
function isTlsAlert(cause: unknown): boolean {
  const data = isThrown(Error, cause) && "data" in cause ? cause.data : undefined;
  return typeof data === "string" && data.startsWith("\x15\x03");
}

interface ReadAnswer {
  readonly answer?: AnswerBody | undefined;
  readonly fault?: string | undefined;
}

const TOO_LONG: ReadAnswer = { fault: `an answer over ${BODY_LIMIT_BYTES} bytes` };

/** In the charset that its header declares. A number beyond 2^53 is its text: it is an id, which is passed on as it came. */
function readAnswer(packed: Buffer, headers: Dispatcher.ResponseData["headers"]): ReadAnswer {
  const bytes = unpacked(packed, String(headers["content-encoding"] ?? ""));
  if (bytes === "too long") return TOO_LONG;
  if (typeof bytes === "string") return { fault: `an answer that ${bytes}` };
  const read = textOfBody(bytes, String(headers["content-type"] ?? ""));
  if (read.kind === "unreadable") return { fault: `an answer that ${read.fault}` };
  try {
    const value = parseExactly(read.text);
    if (!isObject(value)) return {};
    // Which of the two would be compensated?
    const [repeated] = lostOf(read.text).repeated;
    return repeated === undefined ? { answer: value } : { fault: `an answer that has ${repeated} twice` };
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
