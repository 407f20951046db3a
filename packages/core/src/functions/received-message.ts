// The one reader of what the Functions host hands over of a message: its body, and every property of its envelope as its sender wrote it.
import type { InvocationContext } from "@azure/functions";
import { type LargeNumbers, readBody } from "../messaging/message-body.ts";
import { firstIdOf } from "../messaging/message-copy.ts";
import { FIRST_ENQUEUED_AT, type ReceivedMessage } from "../messaging/messenger.ts";
import type { OriginalMessages } from "../messaging/original-messages.ts";

type Metadata = { readonly [name: string]: unknown };

const TEXTS = [
  "messageId",
  "correlationId",
  "subject",
  "replyTo",
  "replyToSessionId",
  "contentType",
  "to",
  "partitionKey",
] as const;
type TextName = (typeof TEXTS)[number];

/** What a function works on. */
export interface Incoming extends ReceivedMessage {
  readonly faults: readonly string[];
  /** The names of properties that did not arrive as text. */
  readonly unclear: readonly TextName[];
}

/**
 * Reads a message. A text that reads as JSON arrives as a number, a boolean or null: the text is made of it again where that is possible, and
 * `clarified` looks for the original.
 * @param bound what the host hands over as the body
 */
export function readMessage(
  bound: unknown,
  queue: string,
  { triggerMetadata = {} }: Pick<InvocationContext, "triggerMetadata">,
  largeNumbers: LargeNumbers,
): Incoming {
  const hidden = hiddenBy(bound);
  const read = TEXTS.map((name) => {
    const named = name === "subject" && !(name in triggerMetadata) ? "label" : name;
    return [name, textOf(triggerMetadata[named])] as const;
  });
  const unclear = read.flatMap(([name, one]) => (one.isText === false || hidden.has(name.toLowerCase()) ? [name] : []));
  const texts = Object.fromEntries(read.map(([name, { text }]) => [name, text])) as Record<
    TextName,
    string | undefined
  >;
  const lost = read.flatMap(([name, one]) =>
    one.fault !== undefined ? [`message property ${name}: ${one.fault}`] : [],
  );
  const body = readBody(bound, texts.contentType, largeNumbers);
  const properties = propertiesIn(triggerMetadata);
  return {
    queue,
    ...texts,
    sequenceNumber: hidden.has("sequencenumber") ? undefined : sequenceNumberIn(triggerMetadata),
    body: body.value,
    ...(bound instanceof Uint8Array && { bytes: Buffer.from(bound) }),
    messageId: firstIdOf(texts.messageId, properties),
    enqueuedAt: enqueuedAt(triggerMetadata),
    expiresAt: expiresAt(triggerMetadata),
    properties,
    faults: [...body.faults, ...lost],
    unclear,
  };
}

/**
 * The message with the texts of the original, where some of them did not arrive as text. One look into the queue, for such messages alone.
 * @throws BusUnavailable
 */
export async function clarified(message: Incoming, originals: OriginalMessages): Promise<Incoming> {
  const { queue, sequenceNumber, unclear } = message;
  if (unclear.length === 0 || sequenceNumber === undefined) return message;
  const original = await originals.read(queue, sequenceNumber);
  if (!original) return message;
  const found = unclear.map((name) => {
    const value: unknown = original[name];
    return [name, value === undefined || value === null || value === "" ? undefined : String(value)] as const;
  });
  const texts = Object.fromEntries(found) as Partial<Record<TextName, string>>;
  const places = unclear.map((name) => `message property ${name}: `);
  return {
    ...message,
    ...texts,
    ...("messageId" in texts && { messageId: firstIdOf(texts.messageId, message.properties) }),
    faults: message.faults.filter((fault) => !places.some((place) => fault.startsWith(place))),
    unclear: [],
  };
}

type ReadText = { readonly text: string | undefined; readonly isText?: boolean; readonly fault?: string };

function textOf(value: unknown): ReadText {
  if (typeof value === "string" || value === undefined) return { text: value || undefined };
  const isAsWritten = value === null || typeof value === "boolean" || Number.isSafeInteger(value);
  if (isAsWritten) return { text: Object.is(value, -0) ? "-0" : String(value), isText: false };
  const fault = `reads as JSON, and arrives as ${typeof value === "number" ? "a number that has lost digits" : "no text"}`;
  return { text: undefined, isText: false, fault };
}

/** A body that is not bound as bytes: in the host its members hide metadata of the same name, whatever the case. */
function hiddenBy(bound: unknown): ReadonlySet<string> {
  const isObject = bound !== null && typeof bound === "object" && !(bound instanceof Uint8Array);
  return new Set(isObject ? Object.keys(bound).map((name) => name.toLowerCase()) : []);
}

function propertiesIn(metadata: Metadata): ReceivedMessage["properties"] {
  const properties = metadata["applicationProperties"] ?? metadata["userProperties"];
  return properties !== null && typeof properties === "object" ? (properties as ReceivedMessage["properties"]) : {};
}

/** In a partitioned queue it is beyond 2^53, and then not exact. */
function sequenceNumberIn({ sequenceNumber }: Metadata): string | undefined {
  return Number.isSafeInteger(sequenceNumber) ? String(sequenceNumber) : undefined;
}

/** No honest message has waited longer: the app gives up before. */
const LONGEST_WAIT_MS = 14 * 86_400_000;

/**
 * The time when a message first entered its queue, as an ISO 8601 instant: one that was sent back to wait names it itself. Its sender could write
 * another one, so it is believed where it is the earlier one, and not before any message that can still wait.
 */
export function enqueuedAt(metadata: Metadata): string | undefined {
  const named = instantOf(propertiesIn(metadata)[FIRST_ENQUEUED_AT]);
  const own = instantOf(metadata["enqueuedTimeUtc"]);
  if (named === undefined || own === undefined) return own ?? named;
  const waitedMs = Date.parse(own) - Date.parse(named);
  return waitedMs > 0 && waitedMs <= LONGEST_WAIT_MS ? named : own;
}

/** The end of .NET's time: the message has no time to live. */
const NEVER_MS = Date.UTC(9999, 0);

function expiresAt(metadata: Metadata): string | undefined {
  const at = instantOf(metadata["expiresAtUtc"]);
  return at !== undefined && Date.parse(at) < NEVER_MS ? at : undefined;
}

/** In the host's format; without a zone it is UTC. */
function instantOf(text: unknown): string | undefined {
  const ms = typeof text === "string" ? Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
