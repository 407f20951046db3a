// The body that switches a fault on, checked field by field so that one answer names everything wrong with it.
import { isObject } from "../json.ts";

/** `gateway`: it does what is asked, and a gateway in front of it answers in its place. `accept` is none of the service's: it answers 202, as if it did later what it does. `double` is a worker's: it replies twice. */
const FAULT_KINDS = ["down", "slow", "hang", "reject", "loseReply", "gateway", "late", "accept", "double"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];
/** What may befall a worker at its queue: it takes nothing, later, or does nothing with what it takes. */
const AT_QUEUE: readonly unknown[] = ["down", "slow", "hang", "double"];

export interface FaultRequest {
  readonly kind: FaultKind;
  /** Top-level fields of the request body that have to have these values. */
  readonly match?: Readonly<Record<string, string | number | boolean | null>>;
  // `/reservations` for creates, `/reservations/*/release` for an action, the queue's name for its worker; absent: every path.
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
    holds: (value) => isStatus(value, 300, 599),
    rule: "an HTTP status of 300 to 599",
    kinds: ["down", "reject", "gateway"],
  },
  code: { holds: isText, rule: "a text", kinds: ["down", "reject"] },
  message: { holds: isText, rule: "a text", kinds: ["down", "reject"] },
  retryAfterS: { holds: isCount, rule: "a whole number of seconds above 0", kinds: ["down", "reject", "accept"] },
};

/** Checks `body` for a service that has `paths`, and perhaps a queue. */
export function parseFault(
  body: unknown,
  paths: readonly string[],
  queue?: string | undefined,
): { kind: "fault"; fault: FaultRequest } | { kind: "invalid"; faults: string[] } {
  if (!isObject(body)) return { kind: "invalid", faults: ["the body has to be a JSON object"] };
  const faults = Object.entries(body).flatMap(([name, value]) => fieldFaults(name, value, body["kind"]));
  if (!("kind" in body)) faults.push(`kind is missing: ${FIELDS["kind"]?.rule}`);
  const { kind } = body;
  if ((kind === "slow" || kind === "late") && !("delayMs" in body)) faults.push(`delayMs is missing: ${kind} needs it`);
  const known = queue === undefined ? paths : [...paths, queue];
  if (isText(body["path"]) && !known.includes(body["path"] as string)) {
    faults.push(`path ${body["path"]} does not exist; there are ${known.join(", ")}`);
  }
  if (kind === "double" && queue === undefined) faults.push("double is for a service that takes from a queue");
  if (
    queue !== undefined &&
    body["path"] === queue &&
    FAULT_KINDS.includes(kind as FaultKind) &&
    !AT_QUEUE.includes(kind)
  )
    faults.push(`${kind} means nothing at a queue; there are ${AT_QUEUE.join(", ")}`);
  const { status } = body;
  if (kind === "reject" && isStatus(status, 300, 599) && !isStatus(status, 400, 499))
    faults.push("status of reject has to be 4xx");
  if (kind === "down" && isStatus(status, 300, 499) && status !== 429)
    faults.push("status of down has to be 5xx or 429");
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

function isFlatObject(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((each) => each === null || typeof each !== "object");
}

function isStatus(value: unknown, from: number, to: number): boolean {
  return Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
}
