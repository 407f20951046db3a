// What the evaluation of the template rests on: operators, loops, lambdas and functions mean what they mean to Bicep.
import { expect, test } from "vitest";
import { parseBicep } from "./bicep-expressions.ts";
import { functionsFor, type Value } from "./bicep-functions.ts";

const named = (name: string): Value => {
  throw new Error(`there is no ${name}`);
};
const functions = functionsFor("main.bicep", "rg", {});

test.each<[string, Value]>([
  ["1 + 2 == 3 && !false || fail('no')", true],
  ["map([1, 2], (one, index) => one + index)", [1, 3]],
  ["filter([{ a: 1 }, { a: 2 }], x => x.a > 1 && true)", [{ a: 2 }]],
  [`map(items({ b: 1, a: 2 }), entry => '\${entry.key}=\${entry.value}')`, ["a=2", "b=1"]],
  ["union({ a: { b: 1 } }, { a: { c: 2 } })", { a: { b: 1, c: 2 } }],
  ["union([1, 1], [1, 2])", [1, 2]],
  ["empty('') ? { 'x-y': 'it\\'s' } : fail('no')", { "x-y": "it's" }],
  ["false\n  ? 1\n  : true\n      ? [for n in [1]: {\n          m: n // one\n        }][0].m\n      : 3", 1],
])("Bicep's own meaning of %s", (code, value) => {
  const [declaration] = parseBicep(`var x = ${code}\n`);
  expect(declaration?.body?.({ named, functions })).toEqual(value);
});

test.each([
  ["nowhere", "there is no nowhere"],
  ["null.id", "what is not deployed"],
  ["{ a: 1 }.b", "there is no b in a"],
  ["nothing()", "there is no function nothing"],
  ["[1", "there is no ]"],
  ["'a", "does not end"],
])("planted: %s", (code, fault) => {
  expect(() => parseBicep(`var x = ${code}\n`)[0]?.body?.({ named, functions })).toThrow(fault);
});
