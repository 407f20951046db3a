// Whatever an app's code throws can be told in words.
import { expect, test } from "vitest";
import { inWords, isError, messageOf, shown, stackOf } from "./thrown.ts";

const fail = () => {
  throw new Error("again");
};

const ODD: readonly (readonly [what: string, thrown: unknown])[] = [
  ["an object whose toString throws", { toString: fail }],
  ["an object without a prototype", Object.create(null)],
  ["an error whose message is a getter that throws", Object.defineProperty(new Error("x"), "message", { get: fail })],
  ["an error whose stack is a getter that throws", Object.defineProperty(new Error("x"), "stack", { get: fail })],
  ["an error whose message is an object that throws", Object.assign(new Error("x"), { message: { toString: fail } })],
  ["a proxy that throws at everything", new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail })],
  ["a revoked proxy", revoked()],
];

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test.each(ODD)("%s", (what, thrown) => {
  for (const words of [inWords(thrown), messageOf(thrown), stackOf(thrown), shown(thrown)])
    expect(typeof words).toBe("string");
  expect(isError(thrown)).toBe(what.startsWith("an error"));
});

test("what has words keeps them", () => {
  const error = new TypeError("x is no function");
  expect([inWords(error), messageOf(error), stackOf(error)]).toEqual([
    "TypeError: x is no function",
    "x is no function",
    error.stack,
  ]);
  for (const one of [null, undefined, Symbol("s"), 7, "text"])
    expect([messageOf(one), stackOf(one)]).toEqual([String(one), String(one)]);
});
