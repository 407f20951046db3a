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

test("a text of the DataContract serializer that is cut off stays as it is", () => {
  expect(bodyText(message(SERIALIZED.subarray(0, -1)))).toContain("string");
});

test.each<readonly [what: string, given: IncomingMessage]>([
  ["a map", message({ a: 1 }, "value")],
  ["a number", message(1, "value")],
  ["null", message(null, "value")],
  ["a sequence", message([[1], [2]], "sequence")],
])("%s is not bound", (_, given) => expect(() => bodyText(given)).toThrow(UnboundBody));
