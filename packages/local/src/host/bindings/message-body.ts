// The body of a Service Bus message as the extension (5.x) binds it: which kinds of AMQP body it takes, and how it reads text.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";

/** What is read of a message; a run by hand has little more than the body. */
export type IncomingMessage = Partial<Omit<ServiceBusReceivedMessage, "body">> & { readonly body: unknown };

/** The extension cannot bind it: the function is not called, and the message counts as failed. */
export class UnboundBody extends Error {
  override readonly name = "UnboundBody";
}

/** The bytes of data sections, or a value that is a text or bytes. Throws an UnboundBody for any other. */
export function bodyBytes({ body, _rawAmqpMessage }: IncomingMessage): Buffer {
  const kind = _rawAmqpMessage?.bodyType;
  if (kind === "sequence") throw new UnboundBody("an AMQP sequence is no body that the Service Bus extension binds");
  if (typeof body === "string") return Buffer.from(body);
  if (Buffer.isBuffer(body)) return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (Array.isArray(body) && body.length > 0 && body.every((part) => Buffer.isBuffer(part))) return Buffer.concat(body);
  if (kind !== "value") return Buffer.from(JSON.stringify(body ?? null));
  throw new UnboundBody("an AMQP value other than a text is no body that the Service Bus extension binds");
}

const ENCODINGS: readonly (readonly [mark: string, encoding: "utf-8" | "utf-16le" | "utf-16be"])[] = [
  ["efbbbf", "utf-8"],
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];
const TEXT_TYPES = /^(text\/plain|application\/json)\b/i;

/** A byte order mark is left out; one of UTF-16 counts where the content type says that it is text. */
export function bodyText(message: IncomingMessage): string {
  const bytes = bodyBytes(message);
  const start = bytes.toString("hex", 0, 3);
  const isText = TEXT_TYPES.test(message.contentType ?? "");
  const [, encoding = "utf-8"] = ENCODINGS.find(([mark]) => start.startsWith(mark)) ?? [];
  if (encoding !== "utf-8" && isText) return new TextDecoder(encoding).decode(bytes);
  const serialized = isText ? undefined : serializedText(bytes);
  return serialized ?? new TextDecoder().decode(bytes);
}

/** `<string xmlns="…">` in .NET's binary XML, up to its text. */
const STRING_ELEMENT = Buffer.concat([
  Buffer.from([0x40, 6]),
  Buffer.from("string"),
  Buffer.from([0x08, 51]),
  Buffer.from("http://schemas.microsoft.com/2003/10/Serialization/"),
]);
const END_ELEMENT = 0x01;
/** The record types of texts ([MC-NBFX], 2.2.3): with a fixed text, or with a length of so many bytes. The next odd number also ends the element. */
const TEXTS: ReadonlyMap<number, string> = new Map([
  [0x80, "0"],
  [0x82, "1"],
  [0xa8, ""],
]);
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0x98, 1],
  [0x9a, 2],
  [0x9c, 4],
]);

/** A text that an older .NET client wrote with its DataContract serializer: none, one or several records up to the end of the element. */
function serializedText(bytes: Buffer): string | undefined {
  if (!bytes.subarray(0, STRING_ELEMENT.length).equals(STRING_ELEMENT)) return undefined;
  let text = "";
  for (let at = STRING_ELEMENT.length; at < bytes.length; ) {
    const record = bytes.readUInt8(at);
    at += 1;
    const isLast = record % 2 === 1;
    if (record !== END_ELEMENT) {
      const type = isLast ? record - 1 : record;
      const width = LENGTHS.get(type) ?? 0;
      const fixed = TEXTS.get(type);
      if ((fixed === undefined && width === 0) || at + width > bytes.length) return undefined;
      const start = at + width;
      at = start + (width > 0 ? bytes.readUIntLE(at, width) : 0);
      text += fixed ?? bytes.toString("utf8", start, at);
    }
    if (isLast) return at === bytes.length ? text : undefined;
  }
  return undefined;
}
