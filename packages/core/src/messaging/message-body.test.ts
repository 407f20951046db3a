// How the bytes of a body are read: by their mark, by the declared charset, or as UTF-8.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readBody } from "./message-body.ts";

const JSON_TEXT = '{"name":"größe"}';
const utf16 = (mark: string) => Buffer.from(mark + JSON_TEXT, "utf16le");

test.each<[string, Buffer, string | undefined]>([
  ["UTF-8", Buffer.from(JSON_TEXT), undefined],
  ["UTF-8 with a BOM", Buffer.from(`\uFEFF${JSON_TEXT}`), "application/json"],
  ["a mark against the declared charset", Buffer.from(`\uFEFF${JSON_TEXT}`), "application/json; charset=iso-8859-1"],
  ["UTF-16LE by its mark", utf16("\uFEFF"), undefined],
  ["UTF-16BE by its mark", utf16("\uFEFF").swap16(), "text/plain"],
  ["UTF-16LE by its charset", utf16(""), "application/json; charset=utf-16le"],
  ["UTF-16BE by its charset", utf16("").swap16(), 'application/json; charset="UTF-16BE"'],
  ["UTF-16 that is declared, of either endianness", utf16(""), "application/json; charset=utf-16"],
  ["UTF-16 that nobody declares", utf16("").swap16(), undefined],
  ["ISO-8859-1 that is declared", Buffer.from(JSON_TEXT, "latin1"), "application/json;charset=ISO-8859-1"],
])("%s is read", (_, bytes, contentType) => {
  expect(readBody(bytes, contentType, "rejected")).toEqual({ value: { name: "größe" }, faults: [] });
});

test("ISO-8859-1 is not Windows-1252", () => {
  const bytes = Buffer.concat([Buffer.from('"'), Buffer.from([0x80, 0xe4]), Buffer.from('"')]);
  expect(readBody(bytes, "text/plain; charset=latin1", "rejected").value).toBe("\u0080ä");
});

test.each<[string, Buffer, string | undefined, RegExp]>([
  ["gzip", gzipSync(JSON_TEXT), "application/json", /the body: is compressed with gzip: send it uncompressed/],
  ["ISO-8859-1 that is not declared", Buffer.from(JSON_TEXT, "latin1"), "application/json", /not valid UTF-8/],
  ["an unknown charset", Buffer.from(JSON_TEXT), "application/json; charset=klingon", /charset klingon.*not known/],
  ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]), undefined, /UTF-32/],
  ["bytes with a NUL that begin no JSON", Buffer.from([0xff, 0x00]), undefined, /not valid UTF-8/],
  ["half a character of UTF-16", Buffer.from([0xff, 0xfe, 0x00, 0xd8]), undefined, /not valid UTF-16LE/],
])("%s is no text: its fault says what to send", (_, bytes, contentType, fault) => {
  const read = readBody(bytes, contentType, "rejected");
  expect(read.value).toBeUndefined();
  expect(read.faults.join()).toMatch(fault);
});

test("numbers beyond 2^53 and repeated members are named; of an answer the numbers are texts", () => {
  const bytes = Buffer.from('{"a":{"id":9007199254740993},"b":1,"b":2}');
  expect(readBody(bytes, undefined, "rejected").faults).toEqual([
    expect.stringMatching(/^a\.id: is a number that is beyond 2\^53/),
    "b: is there twice",
  ]);
  expect(readBody(bytes, undefined, "asText")).toEqual({
    value: { a: { id: "9007199254740993" }, b: 2 },
    faults: ["b: is there twice"],
  });
});

test("a body that the host has parsed is taken as it is, unless digits may be lost", () => {
  expect(readBody({ a: 1 }, undefined, "rejected")).toEqual({ value: { a: 1 }, faults: [] });
  expect(readBody({ a: [1e21] }, undefined, "rejected").faults).toHaveLength(1);
});

test("a text of .NET's DataContract serializer is read", () => {
  const serialized = Buffer.concat([
    Buffer.from("@\u0006string\u00083http://schemas.microsoft.com/2003/10/Serialization/", "latin1"),
    Buffer.from([0x99, 7]),
    Buffer.from('{"a":1}'),
  ]);
  expect(readBody(serialized, undefined, "rejected").value).toEqual({ a: 1 });
});
