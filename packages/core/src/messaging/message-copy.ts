// A copy of a received message: everything of it as it came, and what is left of its time to live.

import { createHash } from "node:crypto";
import type { ServiceBusMessage, ServiceBusReceivedMessage } from "@azure/service-bus";
import { sendable } from "./deep-json.ts";
import { FIRST_MESSAGE_ID, MessageExpired, type ReceivedMessage } from "./messenger.ts";
import { ENVELOPE_TEXTS, PROPERTIES_BYTES, propertiesSize, sizeOf } from "./property-sizes.ts";

type Properties = NonNullable<ServiceBusMessage["applicationProperties"]>;

/** What of a message in its queue every copy of it keeps: its body in its encoding, and its properties with their types. */
export function copyOfOriginal(original: ServiceBusReceivedMessage): ServiceBusMessage {
  const { body, _rawAmqpMessage, applicationProperties = {} } = original;
  return {
    ...given(original, ENVELOPE_TEXTS),
    // By this the SDK encodes the body as it was.
    ...{ body, _rawAmqpMessage },
    applicationProperties,
  } as ServiceBusMessage;
}

/** The same of what the Functions host has handed over, for a message that is not in its queue any more. */
export function copyOfReceived(received: ReceivedMessage): ServiceBusMessage {
  const { bytes, body } = received;
  const { "diagnostic-Id": diagnosticId, ...properties } = received.properties;
  return {
    ...given(received, ENVELOPE_TEXTS.filter((name) => name !== "sessionId") as readonly (keyof ReceivedMessage)[]),
    body: bytes ?? sendable(body),
    applicationProperties: {
      ...(properties as Properties),
      ...(diagnosticId !== undefined && { "Diagnostic-Id": diagnosticId as string }),
    },
  } as ServiceBusMessage;
}

function given<Of extends object>(message: Of, names: readonly (keyof Of)[]): Partial<Of> {
  const entries = names.flatMap((name) => (message[name] === undefined ? [] : [[name, message[name]]]));
  return Object.fromEntries(entries) as Partial<Of>;
}

const LEAST_MS = 1;

/**
 * What is left of the time to live of a copy.
 * @param at when it arrives; it never arrives later than it expires
 * @throws MessageExpired
 */
export function timeLeft(
  expiresAt: string | undefined,
  now: number,
  at: string | undefined,
): Pick<ServiceBusMessage, "timeToLive" | "scheduledEnqueueTimeUtc"> {
  const endsMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  if (endsMs <= now) throw new MessageExpired(`its time to live ended at ${expiresAt}`);
  const arrivesMs = Math.min(at === undefined ? now : Date.parse(at), endsMs - LEAST_MS);
  return {
    ...(Number.isFinite(endsMs) && { timeToLive: endsMs - arrivesMs }),
    ...(at !== undefined && { scheduledEnqueueTimeUtc: new Date(arrivesMs) }),
  };
}

const POSTPONED = /~[0-9a-f]{8}$/;
const MESSAGE_ID_LIMIT = 128;

/** The id for a copy on the same queue: one that detects duplicates would drop a copy with the id that it has just received. */
export function idOfCopy(messageId: string): string {
  return `${messageId.slice(0, MESSAGE_ID_LIMIT - 9)}~${crypto.randomUUID().slice(0, 8)}`;
}

/** The id that the sender gave, of a message that was perhaps sent back to its queue. */
export function firstIdOf(
  messageId: string | undefined,
  properties: ReceivedMessage["properties"],
): string | undefined {
  const first = properties[FIRST_MESSAGE_ID];
  const isCopy = messageId !== undefined && typeof first === "string" && POSTPONED.test(messageId);
  // Only a copy's id begins with its first: no sender takes another's.
  return isCopy && messageId.startsWith(first.slice(0, MESSAGE_ID_LIMIT - 9)) ? first : messageId;
}

/** Properties that the app adds, of which a sender's are never a part. */
interface Added {
  readonly [name: string]: string | number | boolean;
}

/** The number of bytes that a fault has at least, whatever the sender's properties take. */
const ROOM_FOR_FAULTS = 4096;

/**
 * The copy with the sender's properties and those that the app adds, within the limits of Service Bus. Where both are too much, the largest of the
 * sender's are left out, and their number is noted.
 */
export function withAdded(copy: ServiceBusMessage, added: Added): ServiceBusMessage {
  const own = Object.entries(copy.applicationProperties ?? {}).filter(([name]) => !(name in added));
  const fixed = propertiesSize({ ...copy, applicationProperties: { ...added } });
  let size = own.reduce((sum, [name, value]) => sum + sizeOf(name, value), fixed);
  const kept = new Map(own);
  for (const [name, value] of own.toSorted((one, other) => sizeOf(...other) - sizeOf(...one))) {
    if (size <= PROPERTIES_BYTES) break;
    kept.delete(name);
    size -= sizeOf(name, value);
  }
  const leftOut = own.length - kept.size;
  const applicationProperties = { ...Object.fromEntries(kept), ...added, ...(leftOut > 0 && { [LEFT_OUT]: leftOut }) };
  return { ...copy, applicationProperties };
}

/** An application property of a copy: the number of the sender's properties that had no place beside the app's. */
const LEFT_OUT = "propertiesLeftOut";

/** The bytes that faults of a message may have as properties of its copy. */
export function roomForFaults(copy: ServiceBusMessage): number {
  return Math.max(ROOM_FOR_FAULTS, PROPERTIES_BYTES - propertiesSize(copy));
}

/** As many faults as fit, under the names `fault1`, `fault2` and so on. */
export function faultProperties(faults: readonly string[], room: number): Added {
  const found: [string, string][] = [];
  let left = room;
  for (const [index, fault] of faults.entries()) {
    left -= sizeOf(`fault${index + 1}`, fault);
    if (left < 0 && index > 0) break;
    found.push([`fault${index + 1}`, fault]);
  }
  return Object.fromEntries(found);
}

/** For a message in the quarantine: the application property that names the queue that it came from. */
export const CAME_BY = "queue";

/**
 * What the app notes on a message that it keeps in the quarantine, in addition to its faults, and what is taken off again when it is sent back. The
 * subject of the message itself: in the quarantine its subject is why it is there.
 */
export const SENT_SUBJECT = "sentSubject";
/** The job that a message is about, where it may be shown: lists do not read bodies. */
export const ABOUT_JOB = "aboutJobId";
/** Its message id or correlation id repeats what is hidden of its body. */
export const HIDES_IDS = "hidesIds";
/** Its first fault for lists, where that repeats what is hidden. */
export const SHOWN_FAULT = "shownFault";
/** When its time to live ends; an ISO 8601 instant. The quarantine keeps it longer. */
export const EXPIRES_AT = "expiresAt";
/** Of a body that can't be read: its SHA-256 in hex, and its length. The body is whole where it has this length, and else its start. */
const BODY_DIGEST = "bodySha256";
export const BODY_BYTES = "bodyBytes";
/** The start of a body that is kept where the whole has no place beside its faults. */
export const PREFIX_BYTES = 4096;

export function digestOf(bytes: Buffer): { readonly [BODY_DIGEST]: string; readonly [BODY_BYTES]: number } {
  return { [BODY_DIGEST]: createHash("sha256").update(bytes).digest("hex"), [BODY_BYTES]: bytes.length };
}

/** Only a message of the quarantine has it. */
export const FAULT_COUNT = "faultCount";

const NOTED: ReadonlySet<string> = new Set([
  ...[CAME_BY, SENT_SUBJECT, EXPIRES_AT, BODY_DIGEST, BODY_BYTES, ABOUT_JOB, HIDES_IDS, SHOWN_FAULT, FAULT_COUNT],
]);

/** The properties of the message itself. */
export function withoutQuarantine(properties: Properties): Properties {
  const own = Object.entries(properties).filter(([name]) => !NOTED.has(name) && !/^fault\d+$/.test(name));
  return Object.fromEntries(own);
}
