// What a JSON text loses when it is read as usual, and what is kept of it.
import { expect, test } from "vitest";
import { isExact, lostOf, mayHaveLost, parseExactly } from "./exact-json.ts";

test.each<[string, boolean]>([
  ["9007199254740991", true],
  ["9007199254740992", false],
  ["9007199254740993", false],
  ["-9007199254740993", false],
  ["1e21", false],
  ["1e400", false],
  ["1e3", true],
  ["1.5e3", true],
  ["0.1", true],
  ["100.0", true],
  ["100.000000000000000001", false],
  ["-0", true],
])("%s is read exactly: %s", (source, exact) => expect(isExact(source)).toBe(exact));

test("each number and each repeated member is found at its place", () => {
  const text = '{"a":[1,{"b":9007199254740993}],"c":"1e21","c":"{\\"d\\":1e21}","e":{"f":1,"f":2,"a":1}}';
  expect(lostOf(text)).toEqual({ numbers: ["a[1].b"], repeated: ["c", "e.f"] });
  expect(lostOf('{"__proto__":1,"\\u005f_proto__":2}').repeated).toEqual(["__proto__"]);
  expect(lostOf("12345678901234567890").numbers).toEqual([""]);
});

test("a text of any depth and size is read", () => {
  const depth = 100_000;
  expect(lostOf(`${'{"a":'.repeat(depth)}1e21${"}".repeat(depth)}`).numbers).toEqual([`${"a.".repeat(9)}a…`]);
  expect(lostOf(JSON.stringify({ a: 'x\\"'.repeat(100_000), b: 1 }))).toEqual({ numbers: [], repeated: [] });
  const deep = `${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`;
  expect(() => parseExactly(deep)).not.toThrow();
  expect(mayHaveLost(JSON.parse(deep))).toBe(true);
});

test("a number that a double can't hold is its text, and every other one a number", () => {
  const text = '{"id":9007199254740993,"big":1e21,"small":7,"price":1e3,"list":[12345678901234567890]}';
  expect(parseExactly(text)).toEqual({
    ...{ id: "9007199254740993", big: "1e21", small: 7, price: 1000, list: ["12345678901234567890"] },
  });
});
