// The built-in functions, by what their documentation says of them: results, and where the result is undefined.
import { describe, expect, test } from "vitest";
import { compileQuery } from "./compiled-query.ts";
import type { Value } from "./values.ts";

/** The value of an expression; undefined is no result. */
function evaluate(expression: string): Value {
  return compileQuery(`SELECT VALUE ${expression} FROM c`).project({ values: [], parameters: new Map(), totals: [] });
}

const check = (name: string, cases: readonly (readonly [string, Value])[]) =>
  describe(name, () => {
    test.each(cases)("%s", (expression, expected) => {
      expect(evaluate(expression)).toEqual(expected);
    });
  });

check("numbers", [["1 / 0", undefined]]);

check("texts", [
  ["[STRINGEQUALS('a', 'A'), STRINGEQUALS('a', 'A', true), LENGTH('abc')]", [false, true, 3]],
  ["LENGTH(1)", undefined],
]);

check("arrays and objects", [
  [
    "OBJECTTOARRAY({a: 1, b: 'x'})",
    [
      { k: "a", v: 1 },
      { k: "b", v: "x" },
    ],
  ],
  ["OBJECTTOARRAY({a: 1}, 'key', 'val')", [{ key: "a", val: 1 }]],
  ["OBJECTTOARRAY([1])", undefined],
  ["[IIF(true, 1, 2), IIF(false, 1, 2), IIF('a', 1, 2)]", [1, 2, 2]],
]);

test.each([
  ["ST_DISTANCE(1, 2)", "Spatial functions are not supported by this server: ST_DISTANCE."],
  ["VECTORDISTANCE([1], [2])", "Vector search is not supported by this server: VECTORDISTANCE."],
  ["FULLTEXTCONTAINS(c.text, 'x')", "Full text search is not supported by this server: FULLTEXTCONTAINS."],
  ["REGEXMATCH('a', 'b')", "Regular expressions are not supported by this server: REGEXMATCH."],
  ["DATETIMEADD('mm', 1, '2020-01-31')", "Functions of time are not supported by this server: DATETIMEADD."],
  ["GETCURRENTTICKSSTATIC()", "Functions of time are not supported by this server: GETCURRENTTICKSSTATIC."],
  ["NOW()", "Functions of time are not supported by this server: NOW."],
  ["ABS(1)", "The function is not supported by this server: ABS."],
  ["COUNTIF(true)", "The function is not supported by this server: COUNTIF."],
  ["LENGTH('a', 'b')", "LENGTH takes 1 to 1 arguments, not 2."],
])("%s is refused by name", (expression, message) => {
  expect(() => evaluate(expression)).toThrow(message);
});
