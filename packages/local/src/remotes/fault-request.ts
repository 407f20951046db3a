// The body that switches a fault on, checked field by field so that one answer names everything wrong with it.

/** `accept` is none of the service's: it answers 202, as if it did later what it does. */
export const FAULT_KINDS = ["down", "slow", "reject", "loseReply", "late", "accept"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultRequest {
  readonly kind: FaultKind;
  /** Top-level fields of the request body that have to have these values. */
  readonly match?: Readonly<Record<string, string | number | boolean | null>>;
  // `/reservations` for creates, `/reservations/*/release` for an action; absent: every path.
  readonly path?: string;
  /** How many calls it acts on; absent: all. */
  readonly calls?: number;
  readonly forMs?: number;
  readonly delayMs?: number;
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly retryAfterS?: number;
}

interface Field {
  readonly holds: (value: unknown) => boolean;
  readonly rule: string;
  /** The kinds that the field means something for; absent: all. */
  readonly kinds?: readonly FaultKind[];
}

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;

const FIELDS: Readonly<Record<string, Field>> = {
  kind: { holds: (value) => FAULT_KINDS.includes(value as FaultKind), rule: `one of ${FAULT_KINDS.join(", ")}` },
  match: { holds: isFlatObject, rule: "an object of strings, numbers, booleans or nulls" },
  path: { holds: isText, rule: "a path" },
  calls: { holds: isCount, rule: "a whole number above 0" },
  forMs: { holds: isCount, rule: "a whole number of milliseconds above 0" },
  delayMs: { holds: isCount, rule: "a whole number of milliseconds above 0", kinds: ["slow", "late"] },
  status: {
    holds: (value) => isStatus(value, 400, 599),
    rule: "an HTTP status of 400 to 599",
    kinds: ["down", "reject"],
  },
  code: { holds: isText, rule: "a text", kinds: ["down", "reject"] },
  message: { holds: isText, rule: "a text", kinds: ["down", "reject"] },
  retryAfterS: { holds: isCount, rule: "a whole number of seconds above 0", kinds: ["down", "reject", "accept"] },
};

/** Checks `body` for a service that has `paths`. */
export function parseFault(
  body: unknown,
  paths: readonly string[],
): { kind: "fault"; fault: FaultRequest } | { kind: "invalid"; faults: string[] } {
  if (!isObject(body)) return { kind: "invalid", faults: ["the body has to be a JSON object"] };
  const faults = Object.entries(body).flatMap(([name, value]) => fieldFaults(name, value, body["kind"]));
  if (!("kind" in body)) faults.push(`kind is missing: ${FIELDS["kind"]?.rule}`);
  const { kind } = body;
  if ((kind === "slow" || kind === "late") && !("delayMs" in body)) faults.push(`delayMs is missing: ${kind} needs it`);
  if (isText(body["path"]) && !paths.includes(body["path"] as string)) {
    faults.push(`path ${body["path"]} does not exist; there are ${paths.join(", ")}`);
  }
  if (body["kind"] === "reject" && isStatus(body["status"], 500, 599)) faults.push("status of refuse has to be 4xx");
  if (body["kind"] === "down" && isStatus(body["status"], 400, 499) && body["status"] !== 429) {
    faults.push("status of down has to be 5xx or 429");
  }
  return faults.length > 0 ? { kind: "invalid", faults } : { kind: "fault", fault: body as unknown as FaultRequest };
}

function fieldFaults(name: string, value: unknown, kind: unknown): string[] {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (!field) return [`${name} is unknown; there are ${Object.keys(FIELDS).join(", ")}`];
  const faults = field.holds(value) ? [] : [`${name} has to be ${field.rule}`];
  if (field.kinds && FAULT_KINDS.includes(kind as FaultKind) && !field.kinds.includes(kind as FaultKind)) {
    faults.push(`${name} means nothing for ${kind}`);
  }
  return faults;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFlatObject(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => each === null || typeof each !== "object");
}

function isStatus(value: unknown, from: number, to: number): boolean {
  return Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
}
