// JSON deeper than JSON.stringify can write.
import { expect, test } from "vitest";
import { DEPTH_LIMIT, isNestedTooDeep, jsonText, sendable } from "./deep-json.ts";

const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test.each([lists(20_000), objects(20_000)])("what JSON.stringify gives up on is written as it came", (text) => {
  const value: unknown = JSON.parse(text);
  expect(() => JSON.stringify(value)).toThrow(RangeError);
  expect(isNestedTooDeep(value)).toBe(true);
  expect(jsonText(value)).toBe(text);
  expect(String(sendable(value))).toBe(text);
});

test("what is nested as a message may be goes as it is", () => {
  const value = { lines: [{ sku: 'a "b"\n', price: 1.5 }, null, true], none: {}, empty: [] };
  expect(sendable(value)).toBe(value);
  expect(jsonText(value)).toBe(JSON.stringify(value));
  expect(isNestedTooDeep(JSON.parse(lists(DEPTH_LIMIT)))).toBe(false);
  expect(isNestedTooDeep(JSON.parse(lists(DEPTH_LIMIT + 1)))).toBe(true);
});
