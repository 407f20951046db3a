// Full text functions without a container: words, phrases, and scores that order as BM25's do.
import { expect, test } from "vitest";
import { scalarFunction } from "./functions.ts";
import type { Value } from "./values.ts";

const call = (name: string, ...given: readonly Value[]) => scalarFunction(name, given.length)(given);

test.each<[string, readonly Value[], Value]>([
  ["FULLTEXTCONTAINS", ["The Red bicycle.", "red"], true],
  ["FULLTEXTCONTAINS", ["The Red bicycle.", "red bicycle"], true],
  ["FULLTEXTCONTAINS", ["A bicycle, red", "red bicycle"], false],
  ["FULLTEXTCONTAINS", ["redder", "red"], false],
  ["FULLTEXTCONTAINS", ["Über-Größe", "größe"], true],
  ["FULLTEXTCONTAINS", [5, "five"], undefined],
  ["FULLTEXTCONTAINSALL", ["a b c", "a", "c"], true],
  ["FULLTEXTCONTAINSALL", ["a b c", "a", "d"], false],
  ["FULLTEXTCONTAINSANY", ["a b c", "x", "c"], true],
  ["FULLTEXTCONTAINSANY", ["a b c", "x", ""], false],
  ["FULLTEXTWORDCOUNT", ["one, two - three"], 3],
])("%s of %j", (name, given, expected) => {
  expect(call(name, ...given)).toBe(expected);
});

test("a score is higher for rare words, often said, in a short text", () => {
  const score = (text: Value, terms: string[], hits: number[]) =>
    Number(call("FULLTEXTSCORE", text, terms, 100, 1000, hits));
  expect(score("a swim", ["swim"], [2])).toBeGreaterThan(score("a swim", ["swim"], [50]));
  expect(score("swim swim", ["swim"], [2])).toBeGreaterThan(score("swim run", ["swim"], [2]));
  expect(score("swim", ["swim"], [2])).toBeGreaterThan(score("swim and many other words beside", ["swim"], [2]));
  expect(score("walk", ["swim"], [2])).toBe(0);
  expect(score(undefined, ["swim"], [2])).toBe(0);
});
