// A message of a dead-letter queue as an operator sees it, and the message that is sent in its place.
import { createHash } from "node:crypto";
import type { ServiceBusMessage, ServiceBusReceivedMessage } from "@azure/service-bus";
import type { Contracts } from "@scheduler-agent-supervisor/core/app";
import { HIDDEN, isNestedTooDeep, parseExactly, textOfBody } from "@scheduler-agent-supervisor/core/domain";
import {
  ABOUT_JOB,
  BODY_BYTES,
  EXPIRES_AT,
  FAULT_COUNT,
  HIDES_IDS,
  SENT_SUBJECT,
  SHOWN_FAULT,
  shownJobId,
  shownMessage,
  timeLeft,
  withoutQuarantine,
} from "@scheduler-agent-supervisor/core/messaging";
import type { Correction, DeadLetterBody, DeadLetterSummary, ReadDeadLetter } from "./dead-letters.ts";

/** The number of characters of a sender's property that a list shows. */
const TEXT_LIMIT = 500;
/** Service Bus writes these itself when it moves a message. */
const OF_THE_MOVE: ReadonlySet<string> = new Set(["DeadLetterReason", "DeadLetterErrorDescription"]);

/** @param received read with its body unparsed */
export function deadLetterOf(received: ServiceBusReceivedMessage, contracts: Contracts): ReadDeadLetter {
  const { contentType, replyTo, replyToSessionId, timeToLive, applicationProperties = {} } = received;
  const summary = deadLetterSummary(received);
  const body = bodyOf(received);
  return {
    ...summary,
    jobId: summary.jobId ?? (body.kind === "json" ? shownJobId(body.json, contracts) : null),
    messageId: short(received.messageId),
    correlationId: short(received.correlationId),
    contentType: contentType ?? null,
    replyTo: replyTo ?? null,
    replyToSessionId: replyToSessionId ?? null,
    timeToLiveMs: timeToLive ?? null,
    applicationProperties: Object.fromEntries(
      Object.entries(applicationProperties).map(([name, value]) => [name, plain(value)]),
    ),
    body,
  };
}

/** As a list shows it to everybody, from its properties: its body is not read. */
export function deadLetterSummary(received: ServiceBusReceivedMessage): DeadLetterSummary {
  const { sequenceNumber, enqueuedTimeUtc, deadLetterReason, deadLetterErrorDescription } = received;
  const { applicationProperties = {} } = received;
  const { fault1, [SHOWN_FAULT]: fault = fault1, [ABOUT_JOB]: jobId, [HIDES_IDS]: hidesIds } = applicationProperties;
  const id = (given: unknown) => (hidesIds === true && given !== undefined ? HIDDEN : short(given));
  return {
    sequenceNumber: String(sequenceNumber),
    enqueuedAt: enqueuedTimeUtc?.toISOString() ?? null,
    reason: short(deadLetterReason ?? fault),
    description: short(deadLetterErrorDescription),
    deliveryCount: received.deliveryCount ?? 0,
    messageId: id(received.messageId),
    correlationId: id(received.correlationId),
    subject: short(received.subject),
    jobId: short(jobId),
    bytes: bytesOf(received.body).length,
  };
}

/** A body that is not read may contain any value. */
const HIDDEN_TEXT = `${HIDDEN}: a body that is no JSON, or has much that no contract knows, is shown to the role Jobs.ReadData`;

/** The properties that the app or Service Bus writes or reads. A sender may add any others. */
const KNOWN_PROPERTIES =
  /^(fault\d+|faultCount|queue|aboutJobId|hidesIds|shownFault|submissionId|statuses|traceparent|Diagnostic-Id|DeadLetterReason|DeadLetterErrorDescription|firstEnqueuedAt|firstMessageId|postponeCause|sentSubject|expiresAt|bodySha256|bodyBytes|propertiesLeftOut)$/i;

/** The message as it is shown without the role to see secrets. */
export function shownLetter(letter: ReadDeadLetter, contracts: Contracts): ReadDeadLetter {
  const { body, applicationProperties, sequenceNumber, enqueuedAt, ...around } = letter;
  const { json, value } = shownMessage(body.kind === "json" ? body.json : "", contracts);
  const properties = Object.entries(applicationProperties).map(([name, given]) =>
    KNOWN_PROPERTIES.test(name) ? [name, given] : [name, HIDDEN],
  );
  const shown = value({ ...around, applicationProperties: Object.fromEntries(properties) });
  return {
    ...(shown as Omit<ReadDeadLetter, "body" | "sequenceNumber" | "enqueuedAt">),
    ...{ sequenceNumber, enqueuedAt },
    body: json === undefined ? { kind: "text", text: HIDDEN_TEXT } : { kind: "json", json },
  };
}

/**
 * The message again. If it has no correlation id, it gets the original's message id, so that a receiver can find the original by it.
 * @param correction a body in place of the original's
 * @throws MessageExpired if its time to live has passed in the quarantine
 */
export function resentMessage(
  received: ServiceBusReceivedMessage,
  queue: string,
  correction: Correction | undefined,
  now: number,
): ServiceBusMessage & { readonly messageId: string } {
  const { applicationProperties = {}, correlationId, messageId, contentType } = received;
  const own = FAULT_COUNT in applicationProperties ? withoutQuarantine(applicationProperties) : applicationProperties;
  const properties = Object.entries(own).filter(([name]) => !OF_THE_MOVE.has(name));
  const body: unknown = correction ? Buffer.from(JSON.stringify(correction.body)) : received.body;
  const copied = ["to", "replyTo", "replyToSessionId", "sessionId", "partitionKey"] as const;
  const subject = subjectOf(received);
  return {
    ...Object.fromEntries(copied.flatMap((name) => (received[name] === undefined ? [] : [[name, received[name]]]))),
    body,
    ...(subject !== undefined && { subject }),
    // The SDK encodes a received message's body unchanged; a corrected one is JSON.
    ...(correction === undefined && { _rawAmqpMessage: received._rawAmqpMessage }),
    ...(correction ? { contentType: "application/json" } : contentType !== undefined && { contentType }),
    ...timeLeftOf(received, now),
    ...((correlationId ?? messageId) !== undefined && { correlationId: correlationId ?? messageId }),
    applicationProperties: Object.fromEntries(properties),
    messageId: resentId(queue, String(received.sequenceNumber), body),
  } as ServiceBusMessage & { readonly messageId: string };
}

/** The quarantine keeps the start of a body that has no place there. */
export function isCutOff({ body, applicationProperties = {} }: ServiceBusReceivedMessage): boolean {
  const whole = applicationProperties[BODY_BYTES];
  return typeof whole === "number" && FAULT_COUNT in applicationProperties && bytesOf(body).length < whole;
}

/** In the quarantine the subject is why the message is there, and its own is a property. */
function subjectOf({ subject, applicationProperties = {} }: ServiceBusReceivedMessage): string | undefined {
  const own = applicationProperties[SENT_SUBJECT];
  if (typeof own === "string") return own;
  return FAULT_COUNT in applicationProperties ? undefined : subject;
}

/** From the quarantine it has what is left to it. In a dead-letter queue its time stands still. */
function timeLeftOf({ timeToLive, applicationProperties = {} }: ServiceBusReceivedMessage, now: number) {
  const expiresAt = applicationProperties[EXPIRES_AT];
  if (typeof expiresAt === "string") return timeLeft(expiresAt, now, undefined);
  return timeToLive !== undefined && !(FAULT_COUNT in applicationProperties) ? { timeToLive } : {};
}

function resentId(queue: string, sequenceNumber: string, body: unknown): string {
  const mark = createHash("sha256").update(queue).update("\0").update(bytesOf(body)).digest("hex").slice(0, 32);
  return `resent-${sequenceNumber}-${mark}`;
}

/** A body of bytes as bytes; a body with an AMQP type as its JSON. */
function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
}

function bodyOf({ body, contentType }: ServiceBusReceivedMessage): DeadLetterBody {
  if (body !== undefined && typeof body !== "string" && !Buffer.isBuffer(body)) return { kind: "json", json: body };
  const bytes = bytesOf(body);
  const read = textOfBody(bytes, contentType);
  if (read.kind === "unreadable") return { kind: "binary", base64: bytes.toString("base64") };
  return json(read.text) ?? read;
}

/** A number that a double can't hold is shown as its text. */
function json(text: string): DeadLetterBody | undefined {
  try {
    const parsed = parseExactly(text);
    // It could not be serialised again for an answer.
    return isNestedTooDeep(parsed) ? undefined : { kind: "json", json: parsed };
  } catch {
    return undefined;
  }
}

function short(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value).slice(0, TEXT_LIMIT);
}

function plain(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return value instanceof Date ? value.toISOString() : String(value);
}
