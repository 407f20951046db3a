// The built-in functions, by what their documentation says of them: results, and where the result is undefined.
import { describe, expect, test } from "vitest";
import { compileQuery } from "./compiled-query.ts";
import type { Value } from "./values.ts";

/** The value of an expression; undefined is no result. */
function evaluate(expression: string): Value {
  return compileQuery(`SELECT VALUE ${expression}`).project({ values: [], parameters: new Map(), totals: [] });
}

const check = (name: string, cases: readonly (readonly [string, Value])[]) =>
  describe(name, () => {
    test.each(cases)("%s", (expression, expected) => {
      expect(evaluate(expression)).toEqual(expected);
    });
  });

check("numbers", [
  ["[ABS(-2), SIGN(-3), SQUARE(-3), SQRT(16), POWER(2, 10)]", [2, -1, 9, 4, 1024]],
  ["[CEILING(1.2), FLOOR(-1.2), TRUNC(-1.7), ROUND(2.5), ROUND(-2.5), ROUND(2.4)]", [2, -2, -1, 3, -3, 2]],
  ["[EXP(0), LOG(1), LOG(8, 2), LOG10(1000)]", [1, 0, 3, 3]],
  ["[SIN(0), COS(0), TAN(0), ASIN(0), ACOS(1), ATAN(0), ATN2(0, 1)]", [0, 1, 0, 0, 0, 0, 0]],
  ["[DEGREES(PI()), RADIANS(180) = PI(), ROUND(COT(1) * 1000)]", [180, true, 642]],
  ["SQRT(-1)", undefined],
  ["LOG(0)", undefined],
  ["1 / 0", undefined],
  ["ABS('1')", undefined],
  ["RAND() < 1", true],
  ["[NUMBERBIN(37.752), NUMBERBIN(37.752, 0.1), NUMBERBIN(37.752, 10), NUMBERBIN(-1, 5)]", [37, 37.7, 30, -5]],
  ["NUMBERBIN(1, 0)", undefined],
  ["[INTADD(20, 10), INTSUB(25, 10), INTMUL(5, 3), INTDIV(20, 6), INTMOD(-7, 3)]", [30, 15, 15, 3, -1]],
  ["[INTBITAND(15, 25), INTBITOR(56, 100), INTBITXOR(56, 100), INTBITNOT(65)]", [9, 124, 92, -66]],
  ["[INTBITLEFTSHIFT(16, 4), INTBITRIGHTSHIFT(16, 4), INTBITLEFTSHIFT(1, 63)]", [256, 1, -(2 ** 63)]],
  ["INTADD(20, 0.5)", undefined],
  ["INTDIV(1, 0)", undefined],
]);

check("texts", [
  [
    "[CONCAT('a', 'b', 'c'), LEFT('abc', 2), RIGHT('abc', 2), LEFT('abc', -1), RIGHT('abc', 9)]",
    ["abc", "ab", "bc", "", "abc"],
  ],
  ["[SUBSTRING('abcdef', 1, 3), SUBSTRING('abc', 5, 1), SUBSTRING('abc', 1, 0)]", ["bcd", "", ""]],
  [
    "[INDEX_OF('abcab', 'ab'), INDEX_OF('abcab', 'ab', 1), INDEX_OF('abc', 'x'), LASTINDEXOF('abcab', 'ab')]",
    [0, 3, -1, 3],
  ],
  ["[REPLACE('a.b.a', 'a', '$&'), REPLICATE('ab', 3), REVERSE('añ')]", ["$&.b.$&", "ababab", "ña"]],
  ["REPLICATE('a', -1)", undefined],
  ["REPLICATE('a', 10001)", undefined],
  ["[TRIM('  a '), LTRIM('  a '), RTRIM('  a ')]", ["a", "a ", "  a"]],
  ["[LTRIM('AdventureWorks', 'Adventure'), RTRIM('AdventureWorks', 'Works')]", ["Works", "Adventure"]],
  [
    "[TRIM('-_-a-b-_-', '-_'), TRIM('- a -', '-'), TRIM('---', '-'), LTRIM('😀a', '😀'), TRIM(' a', '')]",
    ["a-b", " a ", "", "a", " a"],
  ],
  ["[TOSTRING(NaN), TOSTRING(Infinity), TOSTRING(0.1234), TOSTRING([1])]", ["NaN", "Infinity", "0.1234", "[1]"]],
  ["[IS_NUMBER(NaN), IS_FINITE_NUMBER(Infinity), IS_INTEGER(NaN)]", [true, false, false]],
  ["STRINGTONUMBER(NaN)", undefined],
  ["[STRINGEQUALS('a', 'A'), STRINGEQUALS('a', 'A', true), LENGTH('abc')]", [false, true, 3]],
  [
    "[CONTAINS_ANY_CS('abc', 'x', 'b'), CONTAINS_ALL_CS('abc', 'a', 'B'), CONTAINS_ALL_CI('abc', 'a', 'B')]",
    [true, false, true],
  ],
  ["CONTAINS_ANY_CI('abc', 'x', 'C')", true],
  ["[STRINGJOIN(['a', 'b'], '-'), STRINGSPLIT('a-b', '-')]", ["a-b", ["a", "b"]]],
  ["STRINGJOIN(['a', 1], '-')", undefined],
  [`STRINGTOARRAY('[1, ["2"], {"a": null}]')`, [1, ["2"], { a: null }]],
  [`STRINGTOARRAY("['5']")`, undefined],
  ["STRINGTOARRAY('1')", undefined],
  ["[STRINGTOBOOLEAN(' true'), STRINGTONULL('null '), STRINGTONUMBER('1e2')]", [true, null, 100]],
  ["[STRINGTOBOOLEAN('TRUE'), STRINGTONULL('NULL'), STRINGTONUMBER('0x10'), STRINGTONUMBER('')]", []],
  [`STRINGTOOBJECT('{"a": 1}')`, { a: 1 }],
  ["STRINGTOOBJECT('[]')", undefined],
  ["[TOSTRING(1.5), TOSTRING('a'), TOSTRING({a: 1}), TOSTRING(null)]", ["1.5", "a", '{"a":1}', "null"]],
]);

check("arrays and objects", [
  [
    "[ARRAY_CONTAINS_ANY([1, 2], 3, 2), ARRAY_CONTAINS_ALL([1, 2], 1, 3), ARRAY_CONTAINS_ALL([1, 2], 2, 1)]",
    [true, false, true],
  ],
  ["ARRAY_CONTAINS_ANY('no array', 1)", undefined],
  ["[ARRAY_SLICE([1, 2, 3], 1), ARRAY_SLICE([1, 2, 3], 0, 2), ARRAY_SLICE([1, 2, 3], -2, 1)]", [[2, 3], [1, 2], [2]]],
  ["[ARRAY_SUM([1, 2]), ARRAY_AVG([1, 2]), ARRAY_MEDIAN([5, 1, 3]), ARRAY_MEDIAN([1, 2])]", [3, 1.5, 3, 1.5]],
  ["[ARRAY_MIN([2, 1]), ARRAY_MAX(['a', 'b'])]", [1, "b"]],
  ["ARRAY_SUM([1, 'a'])", undefined],
  ["[CHOOSE(1, 'a', 2), CHOOSE(2, 'a', 2), CHOOSE(0, 'a'), CHOOSE(3, 'a')]", ["a", 2]],
  [
    "OBJECTTOARRAY({a: 1, b: 'x'})",
    [
      { k: "a", v: 1 },
      { k: "b", v: "x" },
    ],
  ],
  ["OBJECTTOARRAY({a: 1}, 'key', 'val')", [{ key: "a", val: 1 }]],
  ["OBJECTTOARRAY([1])", undefined],
  ["[SETINTERSECT([1, 2, 2], [2, 3]), SETUNION([1, 2], [2, 3]), SETDIFFERENCE([1, 2], [2])]", [[2], [1, 2, 3], [1]]],
  ["[SETEQUAL([1, 2], [2, 1, 1]), SETEQUAL([1], [2])]", [true, false]],
  ["[IIF(true, 1, 2), IIF(false, 1, 2), IIF('a', 1, 2)]", [1, 2, 2]],
  [
    "[IS_INTEGER(1), IS_INTEGER(1.5), IS_INTEGER('1'), IS_FINITE_NUMBER(1.5), IS_FINITE_NUMBER('1')]",
    [true, false, false, true, false],
  ],
]);

check("integers of 64 bits", [
  ["[IS_INTEGER(-9223372036854775808), IS_INTEGER(9223372036854775807)]", [true, true]],
  ["[IS_INTEGER(18446744073709551615), IS_INTEGER(0.5)]", [false, false]],
]);

test.each([
  ["ST_DISTANCE(1, 2)", "Spatial functions are not supported by this server: ST_DISTANCE."],
  ["VECTORDISTANCE([1], [2])", "Vector search is not supported by this server: VECTORDISTANCE."],
  ["FULLTEXTCONTAINS(c.text, 'x')", "Full text search is not supported by this server: FULLTEXTCONTAINS."],
  ["REGEXMATCH('a', 'b')", "Regular expressions are not supported by this server: REGEXMATCH."],
  ["DATETIMEADD('mm', 1, '2020-01-31')", "Functions of time are not supported by this server: DATETIMEADD."],
  ["GETCURRENTTICKSSTATIC()", "Functions of time are not supported by this server: GETCURRENTTICKSSTATIC."],
  ["NOW()", "Functions of time are not supported by this server: NOW."],
  ["NOSUCH(1)", "The function is not supported by this server: NOSUCH."],
  ["LENGTH('a', 'b')", "LENGTH takes 1 to 1 arguments, not 2."],
])("%s is refused by name", (expression, message) => {
  expect(() => evaluate(expression)).toThrow(message);
});
