// The sort keys that SQLite orders by agree with the order of the values themselves.
import { expect, test } from "vitest";
import type { Json } from "../../json.ts";
import { compareValues, sortKey, valueOfKey } from "./values.ts";

const ORDERED: Json[] = [
  null,
  false,
  true,
  -1e300,
  -2,
  -1.5,
  -1,
  0,
  1e-9,
  1,
  1.5,
  2,
  10,
  1e300,
  "",
  "A",
  "B",
  "a",
  "ab",
  "é",
];

test("keys sort as the values do, and give them back", () => {
  const keys = ORDERED.map((value) => sortKey(value) ?? "");
  expect([...keys].sort()).toEqual(keys);
  expect([...ORDERED].reverse().sort(compareValues)).toEqual(ORDERED);
  expect(keys.map((key) => valueOfKey(key)?.value)).toEqual(ORDERED);
});

test("undefined has no key, and arrays and objects none that tells them apart", () => {
  expect(sortKey(undefined)).toBeNull();
  expect(valueOfKey(null)).toEqual({ value: undefined });
  expect(valueOfKey(sortKey([1]))).toBeUndefined();
  expect(valueOfKey(sortKey({ a: 1 }))).toBeUndefined();
});

test("minus zero is zero", () => {
  expect(sortKey(-0)).toBe(sortKey(0));
});
