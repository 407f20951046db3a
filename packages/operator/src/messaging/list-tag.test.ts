import { expect, test } from "vitest";
import { isKnown, listTag } from "./list-tag.ts";

test("a list has the same tag whenever it was read, and another one when it is another", () => {
  const tag = listTag({ asOf: "2026-01-31T12:00:00.000Z", jobs: [1] });
  expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
  expect(listTag({ asOf: "2026-01-31T12:00:30.000Z", jobs: [1] })).toBe(tag);
  expect(listTag({ asOf: "2026-01-31T12:00:00.000Z", jobs: [2] })).not.toBe(tag);
});

test.each([
  [null, false],
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ["*", true],
  ['"b"', false],
  ["a", false],
  ["", false],
])("If-None-Match %s of a list that is at a: %s", (header, known) => {
  expect(isKnown('W/"a"', header)).toBe(known);
});
