// What an answer means (P9, P31, P32): one table of all that a service, a gateway, a proxy or a connection can answer, which every call reads.
import type { Subject } from "./agent.ts";

/** `rejected`: permanently. `later`: not now. `absent`: a query found nothing. */
export type AnswerRule<Means extends string = "rejected" | "later"> = {
  readonly status: number;
  /** The `code` in the answer's body. Absent: any JSON body, because gateways answer without JSON. */
  readonly code?: string;
  readonly means: Means;
};

/** Its status, or the first and the last; or what there is in the place of a status. */
type On = number | readonly [from: number, to: number] | "notSendable" | "notSent" | "unanswered";

interface Meant {
  /** The service may have done the request, or may still do so. */
  readonly mayHaveHappened: boolean;
  /** An attempt that ends with `misconfigured` is held and counts no failure; with `later` it counts one. */
  readonly means: "later" | "misconfigured";
  /** Whom it is about: the breaker counts what is about the endpoint. `unlessNamed`: either, or the request if it names its fault in JSON. */
  readonly about: "endpoint" | "request" | "unlessNamed";
}

interface Group extends Meant {
  /** Each with who answers so and why, and its source; a number alone is a section of RFC 9110. */
  readonly answers: readonly (readonly [on: On, reason: string, source: string])[];
}

/**
 * What no rule of the agent declares. A service may have done each request that reached it, unless its answer says that it did not, or no byte of the
 * request was sent. Of two that match, the narrower one decides.
 */
const GROUPS: readonly Group[] = [
  {
    ...{ mayHaveHappened: true, means: "later", about: "endpoint" },
    answers: [
      ["unanswered", "the connection, or the time of the try, ended after the request was sent", "9.2.2"],
      [
        408,
        "it did not arrive whole; Envoy: a stream was idle while the service worked",
        "15.5.9; stream_idle_timeout",
      ],
      [460, "a load balancer of AWS: the client gave up while the service worked", "Application Load Balancer"],
      [499, "the client, or a proxy, gave up while the service worked", "nginx; Heroku, H27"],
      [
        503,
        "not available; or too slow for a gateway, and still at work",
        "15.6.4; Heroku, H12; Front Door; Envoy, UC",
      ],
      [[500, 599], "it failed on the way, perhaps after the work: 500, 502, 504, 520 to 527", "15.6; Cloudflare"],
    ],
  },
  {
    ...{ mayHaveHappened: false, means: "later", about: "endpoint" },
    answers: [
      ["notSent", "no connection: no route, no name, a wrong certificate, a failed handshake", "RFC 8446 section 6.2"],
      [425, "it may have been replayed, and was not processed", "RFC 8470 section 5.2"],
      [429, "too many requests: limits are checked before the work", "RFC 6585 section 4"],
    ],
  },
  {
    ...{ mayHaveHappened: true, means: "misconfigured", about: "unlessNamed" },
    answers: [
      [[200, 299], "a success without the expected content: another service, or a fault in a success", "15.3"],
      [[300, 399], "a redirection to what a POST made, or to a sign-in page", "15.4.3, 15.4.4"],
    ],
  },
  {
    ...{ mayHaveHappened: true, means: "misconfigured", about: "request" },
    answers: [[409, "a conflict, perhaps with itself: a proxy may have sent it twice", "15.5.10; proxy_next_upstream"]],
  },
  {
    ...{ mayHaveHappened: false, means: "misconfigured", about: "unlessNamed" },
    answers: [
      [[307, 308], "the same request is to be sent elsewhere", "15.4.8, 15.4.9"],
      [[404, 405], "a gateway knows no such path, or the service no such thing", "15.5.5, 15.5.6; Envoy, NR"],
      [410, "as 404", "15.5.11"],
    ],
  },
  {
    ...{ mayHaveHappened: false, means: "misconfigured", about: "request" },
    answers: [
      ["notSendable", "a part of its path or of a header is not valid", "URL standard"],
      [[400, 499], "the service does not accept this request", "15.5"],
    ],
  },
  {
    ...{ mayHaveHappened: false, means: "misconfigured", about: "endpoint" },
    answers: [
      [401, "the app's credential is not accepted", "15.5.2"],
      [403, "the app has no right to it", "15.5.4"],
      [407, "a proxy wants a credential", "15.5.8"],
      [421, "this server does not answer for the address", "15.5.20"],
      [501, "the server has no such function", "15.6.2"],
      [505, "the server refuses the version of HTTP", "15.6.6"],
      [511, "a network before the service wants a sign-in", "RFC 6585 section 6"],
    ],
  },
];

/** One answer, with what it means. Statuses are from `from` to `to`. */
export interface AnswerRow extends Meant {
  readonly on: Extract<On, string> | { readonly from: number; readonly to: number };
  readonly reason: string;
  readonly source: string;
}

/** The narrower before the wider. */
export const ANSWERS: readonly AnswerRow[] = GROUPS.flatMap(({ answers, ...meant }) =>
  answers.map(([on, reason, source]) => ({ ...meant, on: rangeOf(on), reason, source: sourceOf(source) })),
).sort((one, other) => widthOf(one) - widthOf(other));

function rangeOf(on: On): AnswerRow["on"] {
  if (typeof on === "string") return on;
  const [from, to] = typeof on === "number" ? [on, on] : on;
  return { from, to };
}

function widthOf({ on }: AnswerRow): number {
  return typeof on === "string" ? 0 : on.to - on.from;
}

function sourceOf(source: string): string {
  return /^\d/.test(source) ? `RFC 9110 section ${source}` : source;
}

/** No status of HTTP. */
const UNKNOWN: Meant = { mayHaveHappened: true, means: "later", about: "endpoint" };

export interface Meaning<Means extends string> {
  readonly means: Means | Meant["means"];
  readonly mayHaveHappened: boolean;
  readonly about: Subject;
}

/** The facts about an answer. */
export interface ServiceAnswer {
  readonly status: number;
  readonly isJson: boolean;
  readonly code: unknown;
  /** It names its fault in JSON. */
  readonly isNamed: boolean;
}

/** What the agent says of an answer. A success is one unless its code says otherwise. */
export function declaredFor<Means extends string>(
  { status, isJson, code }: ServiceAnswer,
  rules: readonly AnswerRule<Means>[],
): AnswerRule<Means> | undefined {
  const isSuccess = status >= 200 && status < 300;
  return rules.find(
    (rule) => rule.status === status && (rule.code === undefined ? isJson && !isSuccess : rule.code === code),
  );
}

/** @param rule what the agent says of it: see `declaredFor` */
export function meaningOf<Means extends string>(
  { status, isNamed }: ServiceAnswer,
  rule: AnswerRule<Means> | undefined,
): Meaning<Means> {
  const { means, mayHaveHappened, about } =
    ANSWERS.find(({ on }) => typeof on !== "string" && on.from <= status && status <= on.to) ?? UNKNOWN;
  const usual = { means, mayHaveHappened, about: subjectOf(about, isNamed) };
  if (!rule) return usual;
  // "Later" without a code may be a gateway's: it says that it did nothing only in the service's own words.
  return {
    means: rule.means,
    mayHaveHappened: rule.means === "later" && rule.code === undefined && mayHaveHappened,
    about: usual.about,
  };
}

/** What it means that there is no answer. */
export function withoutAnswer(why: Extract<On, string>): Meaning<never> {
  const { means, mayHaveHappened, about } = ANSWERS.find(({ on }) => on === why) ?? UNKNOWN;
  return { means, mayHaveHappened, about: subjectOf(about, false) };
}

function subjectOf(about: Meant["about"], isNamed: boolean): Subject {
  if (about !== "unlessNamed") return about;
  return isNamed ? "request" : "either";
}
