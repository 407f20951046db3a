// What a service's HTTP status means (P9): its word on the job only where the agent's own rules say so.

/** `rejected`: permanently. `later`: not now. `absent`: a query found nothing. */
export type AnswerRule<Means extends string = "rejected" | "later"> = {
  readonly status: number;
  /** The `code` in the answer's body. Absent: any JSON body, because gateways answer without JSON. */
  readonly code?: string;
  readonly means: Means;
};

export interface Meaning<Means extends string> {
  readonly means: Means | "later" | "misconfigured";
  /** What was asked may have had its effect all the same. */
  readonly mayHaveHappened: boolean;
}

/** Where no rule of the agent fits: the first row that does. */
const USUAL = [
  // "Not now": RFC 9110 section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4, RFC 9110 section 15.6.4.
  { from: 408, to: 408, means: "later", mayHaveHappened: false },
  { from: 425, to: 425, means: "later", mayHaveHappened: false },
  { from: 429, to: 429, means: "later", mayHaveHappened: false },
  { from: 503, to: 503, means: "later", mayHaveHappened: false },
  // Not implemented, an unknown version of HTTP, a network that wants a sign-in (RFC 6585 section 6).
  { from: 501, to: 501, means: "misconfigured", mayHaveHappened: false },
  { from: 505, to: 505, means: "misconfigured", mayHaveHappened: false },
  { from: 511, to: 511, means: "misconfigured", mayHaveHappened: false },
  // It failed on the way, and perhaps behind the work.
  { from: 500, to: 599, means: "later", mayHaveHappened: true },
  // A success that does not say what it has to: perhaps another service answers there.
  { from: 200, to: 299, means: "misconfigured", mayHaveHappened: true },
  // Redirections, rejected credentials, unknown paths, gateways' limits: a fault of the endpoint, and not of the job.
  { from: 100, to: 499, means: "misconfigured", mayHaveHappened: false },
] as const;

/** What is known of an answer that is no success. */
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
