// Reads from an encoded message what the broker must know, and leaves its bytes as they are.
import type { Limit } from "../../limit.ts";
import { BUS_LIMITS } from "../limits.ts";
import { checkComposite } from "./composites.ts";
import { checkValue } from "./encoded-check.ts";
import { LIST0, readItems, readSection, readTimestamp, readUint, readVariable, skipValue } from "./encoded-value.ts";

export const HEADER = 0x70;
export const DELIVERY_ANNOTATIONS = 0x71;
export const MESSAGE_ANNOTATIONS = 0x72;
const PROPERTIES = 0x73;
export const APPLICATION_PROPERTIES = 0x74;
const DATA = 0x75;
const SEQUENCE = 0x76;
const FOOTER = 0x78;

const LIST8 = 0xc0;
const LISTS = [0x45, 0xc0, 0xd0];
const MAPS = [0xc1, 0xd1];
const BINARIES = [0xa0, 0xb0];
const STRINGS = [0xa1, 0xb1];
const NAMES = [0xa3, 0xb3, ...STRINGS];
/** The type codes that a section's content may have; one that is not here may have any. */
const CONTENTS: Readonly<Record<number, readonly number[]>> = {
  [HEADER]: LISTS,
  [DELIVERY_ANNOTATIONS]: MAPS,
  [MESSAGE_ANNOTATIONS]: MAPS,
  [PROPERTIES]: LISTS,
  [APPLICATION_PROPERTIES]: MAPS,
  [DATA]: BINARIES,
  [SEQUENCE]: LISTS,
  [FOOTER]: MAPS,
};

/** A message that is well formed and not allowed. */
export class MessageFault extends Error {
  override readonly name = "MessageFault";
  readonly condition: string;

  constructor(condition: "argument-error" | "argument-out-of-range", message: string) {
    super(message);
    this.condition = `com.microsoft:${condition}`;
  }
}

/** Checks that the bytes are a message which every client can read (part 3, section 3.2). Throws a RangeError. */
export function checkMessage(bytes: Buffer): void {
  if (bytes.length === 0) throw new RangeError("The message has no sections");
  let last = 0;
  let hasBody = false;
  for (let at = 0; at < bytes.length; ) {
    const end = checkValue(bytes, at);
    const { code, value } = readSection(bytes, at);
    const isBody = code >= DATA && code < FOOTER;
    const repeats = code === last && (code === DATA || code === SEQUENCE);
    // rhea, and so the JavaScript SDK, writes the footer before the body.
    const isAfterFooter = last === FOOTER && isBody && !hasBody;
    hasBody ||= isBody;
    if (code < HEADER || code > FOOTER || (code <= last && !repeats && !isAfterFooter)) {
      throw new RangeError(`The section 0x${code.toString(16)} is unknown or out of order`);
    }
    const contents = CONTENTS[code];
    if (contents && !contents.includes(bytes.readUInt8(value))) {
      throw new RangeError(`The section 0x${code.toString(16)} has a wrong type`);
    }
    if (code === HEADER || code === PROPERTIES) checkComposite(bytes, at);
    else if (contents === MAPS) checkKeys(bytes, value, code === APPLICATION_PROPERTIES ? STRINGS : NAMES);
    last = code;
    at = end;
  }
}

function checkKeys(bytes: Buffer, map: number, types: readonly number[]): void {
  const { count, first } = readItems(bytes, map);
  let at = first;
  for (let item = 0; item < count; item += 2) {
    if (!types.includes(bytes.readUInt8(at))) throw new RangeError("A property's name has a wrong type");
    at = skipValue(bytes, skipValue(bytes, at));
  }
}

const MESSAGE_ID_FIELD = 0;
const GROUP_ID_FIELD = 10;
const TTL_FIELD = 2;
const FIRST_ACQUIRER_FIELD = 3;

const SCHEDULED_ENQUEUE_TIME = "x-opt-scheduled-enqueue-time";
const PARTITION_KEY = "x-opt-partition-key";
const OWN_ANNOTATIONS = new Set([
  "x-opt-enqueued-time",
  "x-opt-locked-until",
  "x-opt-sequence-number",
  "x-opt-enqueue-sequence-number",
  "x-opt-message-state",
  "x-opt-deadletter-source",
]);

/** 9999-12-31T23:59:59.999Z */
const LAST_INSTANT = 253_402_300_799_999;

const NOTHING = Buffer.alloc(0);
const NULL = Buffer.from([0x40]);
const NO_FLAGS = Buffer.from([0x40, 0x40]);

/** What stands before the properties of an encoded message. */
export interface Front {
  /** Header fields `durable` and `priority`, encoded. */
  flags: Buffer;
  /** As the sender wrote it, encoded. */
  firstAcquirer: Buffer;
  ttlMs: number | undefined;
  /** Encoded keys and values that the sender set. */
  annotations: Buffer;
  annotationItems: number;
  scheduledFor: number | undefined;
  partitionKey: string | undefined;
  /** Where properties, application properties and body begin. */
  rest: number;
}

export function readFront(bytes: Buffer): Front {
  const front: Front = {
    flags: NO_FLAGS,
    firstAcquirer: NULL,
    ttlMs: undefined,
    annotations: NOTHING,
    annotationItems: 0,
    scheduledFor: undefined,
    partitionKey: undefined,
    rest: 0,
  };
  while (front.rest < bytes.length) {
    const section = readSection(bytes, front.rest);
    if (section.code === HEADER) readHeader(bytes, section.value, front);
    else if (section.code === MESSAGE_ANNOTATIONS) readAnnotations(bytes, section.value, front);
    else if (section.code !== DELIVERY_ANNOTATIONS) break;
    front.rest = section.end;
  }
  return front;
}

function readHeader(bytes: Buffer, value: number, front: Front): void {
  const fields = readItems(bytes, value);
  let at = fields.first;
  for (let field = 0; field < fields.count && field <= FIRST_ACQUIRER_FIELD; field += 1) {
    const end = skipValue(bytes, at);
    if (field === TTL_FIELD) {
      front.flags = bytes.subarray(fields.first, at);
      front.ttlMs = readUint(bytes, at);
    } else if (field === FIRST_ACQUIRER_FIELD) front.firstAcquirer = bytes.subarray(at, end);
    at = end;
  }
}

function readAnnotations(bytes: Buffer, value: number, front: Front): void {
  const items = readItems(bytes, value);
  const kept: Buffer[] = [];
  let at = items.first;
  for (let pair = 0; pair < items.count; pair += 2) {
    const itemAt = skipValue(bytes, at);
    const end = skipValue(bytes, itemAt);
    const key = readVariable(bytes, at)?.toString("ascii") ?? "";
    if (key === SCHEDULED_ENQUEUE_TIME) front.scheduledFor = boundInstant(readTimestamp(bytes, itemAt));
    else if (key === PARTITION_KEY) front.partitionKey = readVariable(bytes, itemAt)?.toString("utf8");
    if (!OWN_ANNOTATIONS.has(key)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  if (kept.length > 0) front.annotations = Buffer.concat(kept);
  front.annotationItems = kept.length * 2;
}

/** No instant is later than .NET's last, which the store can keep too. */
function boundInstant(instant: number | undefined): number | undefined {
  return instant === undefined ? undefined : Math.min(instant, LAST_INSTANT);
}

/** A message as it arrived. */
export interface Incoming {
  readonly bytes: Buffer;
  /** As encoded, so that ids of different types differ. */
  readonly messageId: string;
  readonly sessionId: string | undefined;
  readonly partitionKey?: string | undefined;
  readonly ttlMs: number | undefined;
  readonly scheduledFor: number | undefined;
  /** Of a message that comes from another entity: see Message. */
  readonly enqueuedSequence?: number | undefined;
  readonly hops?: number;
  readonly deadLetterSource?: string | undefined;
  /** When it was due, if it was scheduled there. */
  readonly wasDueAt?: number;
}

/** The same message with other bytes, of which its ids are read anew. */
export function reread(incoming: Incoming, bytes: Buffer): Incoming {
  const { messageId = "", sessionId } = readProperties(bytes, readFront(bytes).rest);
  return { ...incoming, bytes, messageId, sessionId };
}

/**
 * Reads what the broker must know and copies the bytes out of the socket's buffer. A message without an id gets
 * `newId()`: the SDK's lock renewer needs one. Throws a RangeError for bytes that are no AMQP message, and a MessageFault.
 */
export function readIncoming(sent: Buffer, newId: () => string): Incoming {
  checkMessage(sent);
  const received = withFooterLast(sent);
  const front = readFront(received);
  const properties = readProperties(received, front.rest);
  checkAllowed(received, front, properties);
  const bytes =
    properties.messageId === undefined ? withMessageId(received, front.rest, newId()) : Buffer.from(received);
  return {
    bytes,
    messageId: properties.messageId ?? "",
    sessionId: properties.sessionId,
    partitionKey: front.partitionKey,
    ttlMs: front.ttlMs,
    scheduledFor: front.scheduledFor,
  };
}

/** What the service does not take (Service Bus quotas). Most messages are so small that only their ids are looked at. */
function checkAllowed(bytes: Buffer, { partitionKey, rest }: Front, { messageId = "", sessionId }: Identity): void {
  const id =
    messageId.length > BUS_LIMITS.messageId.value ? readVariable(Buffer.from(messageId, "latin1"), 0) : undefined;
  for (const [limit, text] of [
    [BUS_LIMITS.messageId, id?.toString("utf8") ?? ""],
    [BUS_LIMITS.sessionId, sessionId ?? ""],
    [BUS_LIMITS.partitionKey, partitionKey ?? ""],
  ] as const) {
    if (text.length > limit.value) throw beyond(limit, text.length);
  }
  // The session with the empty id, which the SDK's own suite uses, takes any key.
  if (partitionKey !== undefined && sessionId && partitionKey !== sessionId) {
    throw new MessageFault(
      "argument-error",
      "The partition key of a message with a session has to be the id of the session.",
    );
  }
  checkProperties(bytes, rest);
}

/** What the service does not take of a message's properties. */
export function propertiesFault(bytes: Buffer): MessageFault | undefined {
  try {
    checkProperties(bytes, readFront(bytes).rest);
    return undefined;
  } catch (cause) {
    if (cause instanceof MessageFault) return cause;
    throw cause;
  }
}

function checkProperties(bytes: Buffer, start: number): void {
  for (let at = start; at < bytes.length; ) {
    const { code, value, end } = readSection(bytes, at);
    if (code >= DATA) return;
    if (end > BUS_LIMITS.propertiesBytes.value) throw beyond(BUS_LIMITS.propertiesBytes, end);
    if (code === APPLICATION_PROPERTIES) checkApplicationProperties(bytes, value);
    at = end;
  }
}

/** Texts, numbers, instants and the like: nothing that has parts. */
function checkApplicationProperties(bytes: Buffer, map: number): void {
  const { count, first } = readItems(bytes, map);
  let at = first;
  for (let item = 0; item < count; item += 2) {
    const valueAt = skipValue(bytes, at);
    const end = skipValue(bytes, valueAt);
    const code = bytes.readUInt8(valueAt);
    if (code >= LIST8 || code === LIST0) {
      const name = readVariable(bytes, at)?.toString("utf8") ?? "";
      throw new MessageFault(
        "argument-error",
        `The property ${name} is a list, a map or an array, which no property can be.`,
      );
    }
    if (end - at > BUS_LIMITS.propertyBytes.value) throw beyond(BUS_LIMITS.propertyBytes, end - at);
    at = end;
  }
}

function beyond({ what, value, unit }: Limit, given: number): MessageFault {
  return new MessageFault("argument-out-of-range", `${what} has ${value} ${unit} at most, not ${given}.`);
}

/** The order of the sections in AMQP 1.0, 3.2, which other clients may rely on. */
function withFooterLast(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; ) {
    const { code, end } = readSection(bytes, at);
    if (code === FOOTER) {
      if (end === bytes.length) return bytes;
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end), bytes.subarray(at, end)]);
    }
    if (code >= DATA) return bytes;
    at = end;
  }
  return bytes;
}

interface Identity {
  /** With its type. */
  messageId: string | undefined;
  sessionId: string | undefined;
}

function readProperties(bytes: Buffer, start: number): Identity {
  const found: Identity = { messageId: undefined, sessionId: undefined };
  if (start >= bytes.length) return found;
  const section = readSection(bytes, start);
  if (section.code !== PROPERTIES) return found;
  const fields = readItems(bytes, section.value);
  let at = fields.first;
  for (let field = 0; field < fields.count && field <= GROUP_ID_FIELD; field += 1) {
    const end = skipValue(bytes, at);
    if (field === MESSAGE_ID_FIELD && end - at > 1) found.messageId = bytes.toString("latin1", at, end);
    if (field === GROUP_ID_FIELD) found.sessionId = readVariable(bytes, at)?.toString("utf8");
    at = end;
  }
  return found;
}

function withMessageId(bytes: Buffer, start: number, id: string): Buffer {
  const encodedId = Buffer.concat([Buffer.from([0xa1, Buffer.byteLength(id)]), Buffer.from(id)]);
  const section = start < bytes.length ? readSection(bytes, start) : undefined;
  const present = section?.code === PROPERTIES ? section : undefined;
  const fields = present ? readItems(bytes, present.value) : { count: 0, first: 0 };
  const others = present && fields.count > 0 ? bytes.subarray(skipValue(bytes, fields.first), present.end) : NOTHING;
  const head = Buffer.from([0x00, 0x53, PROPERTIES, 0xd0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(4 + encodedId.length + others.length, 4);
  head.writeUInt32BE(Math.max(1, fields.count), 8);
  return Buffer.concat([bytes.subarray(0, start), head, encodedId, others, bytes.subarray(present?.end ?? start)]);
}

/** The messages of a batch: format 0x80013700 holds one encoded message in each data section. */
export function readBatch(bytes: Buffer): Buffer[] {
  checkMessage(bytes);
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const section = readSection(bytes, at);
    const content = section.code === DATA ? readVariable(bytes, section.value) : undefined;
    if (content) messages.push(content);
    at = section.end;
  }
  if (messages.length === 0) throw new RangeError("The batch has no messages");
  return messages;
}

/** The message up to its body: for those who only want to know of it. */
export function withoutBody(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; ) {
    const { code, end } = readSection(bytes, at);
    if (code >= DATA) return bytes.subarray(0, at);
    at = end;
  }
  return bytes;
}
