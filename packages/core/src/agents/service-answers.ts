// The meaning of a service's HTTP status (P9, P31): it decides about the job only if the agent's own rules allow it, and about other jobs only if it
// speaks of the endpoint.
import type { Subject } from "./agent.ts";

/** `rejected`: permanently. `later`: not now. `absent`: a query found nothing. */
export type AnswerRule<Means extends string = "rejected" | "later"> = {
  readonly status: number;
  /** The `code` in the answer's body. Absent: any JSON body, because gateways answer without JSON. */
  readonly code?: string;
  readonly means: Means;
};

export interface Meaning<Means extends string> {
  readonly means: Means | "later" | "misconfigured";
  /** The request may have had its effect nevertheless. */
  readonly mayHaveHappened: boolean;
}

/** If no rule of the agent matches: the first matching row. */
const USUAL = [
  // "Not now": RFC 9110 section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4, RFC 9110 section 15.6.4.
  { from: 408, to: 408, means: "later", mayHaveHappened: false },
  { from: 425, to: 425, means: "later", mayHaveHappened: false },
  { from: 429, to: 429, means: "later", mayHaveHappened: false },
  { from: 503, to: 503, means: "later", mayHaveHappened: false },
  // Not implemented, an unknown version of HTTP, a network that requires a sign-in (RFC 6585 section 6).
  { from: 501, to: 501, means: "misconfigured", mayHaveHappened: false },
  { from: 505, to: 505, means: "misconfigured", mayHaveHappened: false },
  { from: 511, to: 511, means: "misconfigured", mayHaveHappened: false },
  // It failed on the way, perhaps after the work was done.
  { from: 500, to: 599, means: "later", mayHaveHappened: true },
  // A success without the required content: perhaps another service answers there.
  { from: 200, to: 299, means: "misconfigured", mayHaveHappened: true },
  // Redirections, rejected credentials, unknown paths, requests that the service does not accept: no decision about the job.
  { from: 100, to: 499, means: "misconfigured", mayHaveHappened: false },
] as const;

/** Credentials, a proxy's too, a wrong authority, and "not now": RFC 9110 section 15.5, RFC 6585 section 4, RFC 8470 section 5.2. */
const OF_THE_ENDPOINT: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429]);
/** The path is unknown there, or takes no such request: the address may be wrong, or a part of it that the job contains. */
const OF_EITHER: ReadonlySet<number> = new Set([404, 405, 410]);

/** Whom an answer without the expected content is about. */
export function subjectOf(status: number): Subject {
  if (status >= 500 || OF_THE_ENDPOINT.has(status)) return "endpoint";
  return status < 400 || OF_EITHER.has(status) ? "either" : "request";
}

/** The facts about an unsuccessful answer. */
export interface ServiceAnswer {
  readonly status: number;
  readonly isJson: boolean;
  readonly code: unknown;
}

export function meaningOf<Means extends string>(
  { status, isJson, code }: ServiceAnswer,
  rules: readonly AnswerRule<Means>[],
): Meaning<Means> {
  const rule = rules.find((one) => one.status === status && (one.code === undefined ? isJson : one.code === code));
  if (rule) return { means: rule.means, mayHaveHappened: false };
  return USUAL.find(({ from, to }) => from <= status && status <= to) ?? { means: "later", mayHaveHappened: true };
}
