// Whatever code throws can be told in words.
import { expect, test } from "vitest";
import { asError, inWords, isThrown, messageOf } from "./thrown.ts";

const fail = () => {
  throw new Error("again");
};

const ODD: readonly (readonly [what: string, thrown: unknown])[] = [
  ["an object whose toString throws", { toString: fail }],
  ["an object without a prototype", Object.create(null)],
  ["an error whose message is a getter that throws", Object.defineProperty(new Error("x"), "message", { get: fail })],
  ["an error whose message is an object that throws", Object.assign(new Error("x"), { message: { toString: fail } })],
  ["a proxy that throws at everything", new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail })],
  ["a revoked proxy", revoked()],
];

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test.each(ODD)("%s", (_, thrown) => {
  for (const words of [inWords(thrown), messageOf(thrown)]) expect(words).toMatch(/cannot be shown|Error/);
  expect(typeof asError(thrown).message).toBe("string");
  expect(isThrown(RangeError, thrown)).toBe(false);
});

test("what has words keeps them", () => {
  const error = new TypeError("x is no function");
  expect([inWords(error), messageOf(error)]).toEqual(["TypeError: x is no function", "x is no function"]);
  expect([null, undefined, Symbol("s"), 7, "text"].map(inWords)).toEqual([
    "null",
    "undefined",
    "Symbol(s)",
    "7",
    "text",
  ]);
});

test("an error that can be read is passed on as it is", () => {
  const error = new RangeError("x");
  expect(asError(error)).toBe(error);
  expect(isThrown(RangeError, error)).toBe(true);
  expect(asError("text").message).toBe("text");
});
