// Calls to a remote service over HTTP, and the meaning of its answers for an agent.

import type { Dispatcher } from "undici";
import { z } from "zod";
import { HIDDEN } from "../domain/content/job.ts";
import type { StepResult } from "../domain/record/state-record.ts";
import type { AgentCall, AgentReply, Finding, JobView } from "./agent.ts";
import { ID_LIMIT } from "./bounds.ts";
import { type AnswerBody, exchange, isSuccess, type NoResponse, type ServiceResponse } from "./http-exchange.ts";
import { type AnswerRule, declaredFor, type Meaning, meaningOf, withoutAnswer } from "./service-answers.ts";

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

type Unavailable = Extract<AgentReply, { kind: "unavailable" }>;

/** Sends a POST with the request's idempotency key. It throws only for a bug in `keep`; an abort returns `unavailable`. */
export async function callService(service: ServiceCall, call: AgentCall<JobView, unknown>): Promise<AgentReply> {
  const { path, body, answers } = service;
  const response = await exchange({ method: "POST", path, body: JSON.stringify(body) }, call);
  if (response.kind === "none") return unanswered(response);
  const reference = response.status === ACCEPTED ? service.reference?.(response.answer) : undefined;
  if (reference !== undefined) {
    const retryAfterMs = service.isPolled ? pauseAskedFor(response.headers) : undefined;
    return retryAfterMs === undefined ? { kind: "accepted", reference } : { kind: "pending", retryAfterMs, reference };
  }
  const declared = declaredFor(response, answers);
  const isDone = isSuccess(response) && !declared;
  const result = isDone ? service.keep(response.answer) : undefined;
  if (result) return { kind: "done", result };
  const meaning = meaningOf(response, declared);
  return meaning.means === "rejected" ? rejected(response) : unavailable(response, meaning);
}

/** Sends a GET, which has no effect. Throws as `callService`. */
export async function lookUp(question: LookUp, call: AgentCall<JobView, unknown>): Promise<Finding> {
  const { path, answers = [] } = question;
  const response = await exchange({ method: "GET", path, body: null }, call);
  if (response.kind === "none") return unanswered(response);
  const retryAfterMs = question.isPolled && response.status === ACCEPTED ? pauseAskedFor(response.headers) : undefined;
  if (retryAfterMs !== undefined) return { kind: "pending", retryAfterMs };
  const declared = declaredFor(response, answers);
  const isFound = isSuccess(response) && !declared;
  const result = isFound ? question.keep(response.answer) : undefined;
  if (result === null) return { kind: "absent" };
  if (result) return { kind: "done", result };
  const meaning = meaningOf(response, declared);
  if (meaning.means === "absent") return { kind: "absent" };
  return meaning.means === "rejected" ? rejected(response) : unavailable(response, meaning);
}

/** RFC 9110, 15.3.3. */
const ACCEPTED = 202;

function rejected({ status, words }: ServiceResponse): AgentReply {
  return { kind: "rejected", message: words || `HTTP ${status}` };
}

function unavailable(response: ServiceResponse, { means, mayHaveHappened, about }: Meaning<string>): Unavailable {
  const { status, headers, words, fault } = response;
  const own = words === "" || words === fault ? "" : `: ${words}`;
  const text = isSuccess(response) ? `: ${fault ?? "without the expected answer"}${own}` : words && `: ${words}`;
  const retryAfterMs = pauseAskedFor(headers);
  return {
    kind: "unavailable",
    message: `HTTP ${status}${text}`,
    inShort: `HTTP ${status}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(mayHaveHappened && { mayHaveHappened }),
    ...faultOf(means, about),
  };
}

function unanswered({ why, message, inShort }: NoResponse): Unavailable {
  const { means, mayHaveHappened, about } = withoutAnswer(why);
  return { kind: "unavailable", message, inShort, mayHaveHappened, ...faultOf(means, about) };
}

function faultOf(means: string, about: Meaning<string>["about"]): Pick<Unavailable, "about" | "misconfigured"> {
  return {
    ...(about !== "endpoint" && { about }),
    ...(means === "misconfigured" && { misconfigured: true }),
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
