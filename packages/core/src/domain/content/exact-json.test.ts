// What a JSON text loses when it is read as usual, and what is kept of it.
import { describe, expect, test } from "vitest";
import { canonicalJson, isExact, lostOf, mayHaveLost, parseExactly } from "./exact-json.ts";

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

describe("RFC 8785", () => {
  test("3.2.2: numbers, texts and literals", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test("3.2.3: members are in the sequence of their UTF-16 code units, whole numbers too", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6", "10", "9", "-1"];
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, { 2: 0, 10: 0 }])));
    const sequence = ["\r", "-1", "1", "10", "9", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"];
    expect(text).toBe(`{${sequence.map((name) => `${JSON.stringify(name)}:{"10":0,"2":0}`).join(",")}}`);
  });

  test("what no JSON has is left out, and equal content has equal text", () => {
    expect(canonicalJson({ b: undefined, a: [undefined, { c: 1, b: " x " }] }, (member) => member ?? null)).toBe(
      '{"a":[null,{"b":" x ","c":1}]}',
    );
  });
});
