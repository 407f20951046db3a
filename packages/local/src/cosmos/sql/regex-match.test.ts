import { expect, test } from "vitest";
import { mayBacktrack, regexMatch } from "./regex-match.ts";

test.each(["abc", "a+b*", "^(a|b)c$", "[(+*)]{2}", "\\(a+\\)+", "(?:ab)+", "(a)(b)(c)"])(
  "%s is matched at once",
  (pattern) => expect(mayBacktrack(pattern)).toBe(false),
);

test.each(["(a+)+", "(a|a)*", "(?:a{2,})*", "((a+)b)+", "(a?){50}", "a*a*a*a*", "(?<name>a*)+"])(
  "%s is matched for a while",
  (pattern) => expect(mayBacktrack(pattern)).toBe(true),
);

test("a pattern that would backtrack for ever ends as a fault", () => {
  const text = `${"a".repeat(50)}b`;
  const began = performance.now();
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a|a?)+$"]) {
    expect(() => regexMatch([text, pattern])).toThrow("takes too long");
  }
  expect(performance.now() - began).toBeLessThan(3000);
  expect([regexMatch([text, "^(a+)+b$"]), regexMatch(["aab", "^(a+)+$"])]).toEqual([true, false]);
});
