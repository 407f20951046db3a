import rhea from "rhea";
import { expect, test } from "vitest";
import { types } from "../rhea-internals.ts";
import { checkValue } from "./encoded-check.ts";
import { checkMessage } from "./encoded-message.ts";

function encode(value: unknown): Buffer {
  const writer = new types.Writer();
  writer.write(types.wrap(value));
  return writer.toBuffer();
}

test("what rhea writes is well formed", () => {
  const long = Buffer.from("7fffffffffffffff", "hex");
  const list = [1, -1, 2 ** 40, 1.5, "text", "x".repeat(300), true, null, new Date(), Buffer.alloc(300), [1, [2, [3]]]];
  const values = [list, { map: { of: { maps: list } } }, types.wrap_uuid(Buffer.alloc(16)), types.wrap_long(long)];
  const arrays = [types.wrap_array([1, 2], 0x81), types.wrap_array(["a"], 0xa1), types.wrap_array([], 0x70)];
  for (const value of [...values, ...arrays]) {
    const bytes = encode(value);
    expect(checkValue(bytes, 0)).toBe(bytes.length);
  }
  const message = { durable: true, message_id: "m", application_properties: { a: 1 }, body: { b: [1] } };
  expect(() => checkMessage(rhea.message.encode(message))).not.toThrow();
});

test.each<readonly [what: string, hex: string, reason: RegExp]>([
  ["a type that there is not", "99", /0x99 is no AMQP type/],
  ["a value that is cut off", "8100", /cut off/],
  ["a text that is cut off", "a10561", /cut off/],
  ["a list that is longer than its items", "c003014140", /longer than what it holds/],
  ["a list with fewer bytes than items", "c00103", /cut off/],
  ["a map without its last value", "c1020141", /without a value/],
  ["an array that is longer than its elements", "e00401500102", /longer than what it holds/],
  ["an array of many nulls", "f00000000500ffffff40", /empty elements is too long/],
  ["descriptors without end", "00".repeat(100), /nested too deeply|cut off/],
])("%s is refused", (_what, hex, reason) => {
  expect(() => checkValue(Buffer.from(hex, "hex"), 0)).toThrow(reason);
});

test("a value lies within its limit", () => {
  const bytes = encode("text");
  expect(() => checkValue(bytes, 0, bytes.length - 1)).toThrow(RangeError);
});
