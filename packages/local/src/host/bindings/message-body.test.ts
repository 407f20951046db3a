// What a function gets of each kind of message body.
import { expect, test } from "vitest";
import { bodyText, type IncomingMessage, UnboundBody } from "./message-body.ts";

type BodyType = "data" | "value" | "sequence";

const message = (body: unknown, bodyType: BodyType = "data", contentType?: string): IncomingMessage => ({
  body,
  _rawAmqpMessage: { body, bodyType },
  ...(contentType !== undefined && { contentType }),
});

const SERIALIZED = Buffer.concat([
  Buffer.from("@\u0006string\u00083http://schemas.microsoft.com/2003/10/Serialization/", "latin1"),
  Buffer.from([0x99, 7]),
  Buffer.from("größe"),
]);

test.each<readonly [what: string, given: IncomingMessage, text: string]>([
  ["UTF-8", message(Buffer.from("größe")), "größe"],
  ["UTF-8 with a byte order mark", message(Buffer.from("\uFEFF{}")), "{}"],
  ["a mark and a declared type", message(Buffer.from("\uFEFF{}"), "data", "application/json"), "{}"],
  [
    "UTF-16 of a declared type",
    message(Buffer.from("\uFEFF{}", "utf16le"), "data", "application/json; charset=utf-16"),
    "{}",
  ],
  ["big-endian UTF-16", message(Buffer.from("\uFEFF{}", "utf16le").swap16(), "data", "text/plain"), "{}"],
  ["an AMQP value that is a text", message("text", "value"), "text"],
  ["an AMQP value that is bytes", message(Buffer.from("bytes"), "value"), "bytes"],
  ["several data sections", message([Buffer.from("a"), Buffer.from("b")]), "ab"],
  ["a text of the DataContract serializer", message(SERIALIZED), "größe"],
])("%s", (_, given, text) => expect(bodyText(given)).toBe(text));

/** Recorded from .NET 10: how its serializer ends a text depends on the text. */
const NAMESPACE = Buffer.from("@\u0006string\u00083http://schemas.microsoft.com/2003/10/Serialization/", "latin1");
const long = (count: number) => Buffer.alloc(count, "x");

test.each<readonly [what: string, records: readonly (Buffer | number[])[], text: string]>([
  ["none", [[0x01]], ""],
  ["0", [[0x81]], "0"],
  ["1", [[0x83]], "1"],
  ["255 bytes", [[0x98, 255], long(255), [0x01]], "x".repeat(255)],
  ["256 bytes", [[0x9a, 0, 1], long(256), [0x01]], "x".repeat(256)],
  ["65,536 bytes", [[0x9c, 0, 0, 1, 0], long(65_536), [0x01]], "x".repeat(65_536)],
  ["two pieces", [[0x98, 1], long(1), [0x99, 2], long(2)], "xxx"],
])("a serialized text of %s", (_, records, text) => {
  const bytes = Buffer.concat([NAMESPACE, ...records.map((record) => Buffer.from(record))]);
  expect(bodyText(message(bytes))).toBe(text);
});

test("a text of the DataContract serializer that is cut off stays as it is", () => {
  expect(bodyText(message(SERIALIZED.subarray(0, -1)))).toContain("string");
});

test.each<readonly [what: string, given: IncomingMessage]>([
  ["a map", message({ a: 1 }, "value")],
  ["a number", message(1, "value")],
  ["null", message(null, "value")],
  ["a sequence", message([[1], [2]], "sequence")],
])("%s is not bound", (_, given) => expect(() => bodyText(given)).toThrow(UnboundBody));
