// The limits of Service Bus for a message's properties, in bytes of UTF-8, and texts cut to them.
import type { ServiceBusMessage } from "@azure/service-bus";

/** All of them together, with the message's own, such as its id. */
export const PROPERTIES_BYTES = 65_536;
/** What the encoding, and what the bus adds itself, take of the limit. */
const FRAME_BYTES = 1024;
/** Of one property: the types of its name and its value, and their lengths. */
const EACH_BYTES = 10;

/** The start of a text, of at most so many bytes; no character is cut. */
export function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const bytes = Buffer.from(text).subarray(0, Math.max(0, most));
  // What continues a character begins with the bits 10.
  let end = bytes.length;
  while (end > 0 && ((Buffer.from(text)[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** What a message has as texts of its own, beside its application properties. */
export const ENVELOPE_TEXTS = [
  "messageId",
  "correlationId",
  "contentType",
  "subject",
  "to",
  "replyTo",
  "replyToSessionId",
  "sessionId",
  "partitionKey",
] as const;

/** About what a message's properties take of their limit; never less than they take. */
export function propertiesSize(message: ServiceBusMessage): number {
  const own = ENVELOPE_TEXTS.reduce((sum, name) => sum + sizeOf(name, message[name]), 0);
  const others = Object.entries(message.applicationProperties ?? {});
  return others.reduce((sum, [name, value]) => sum + sizeOf(name, value), own + FRAME_BYTES);
}

export function sizeOf(name: string, value: unknown): number {
  if (value === undefined) return 0;
  const bytes = typeof value === "string" ? Buffer.byteLength(value) : value instanceof Uint8Array ? value.length : 16;
  return Buffer.byteLength(name) + bytes + EACH_BYTES;
}
