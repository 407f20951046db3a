// What Node runs as it stands in the sources has only what the oldest Node that the README names can do: the tests run on a newer one.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";

const SOURCES = "{cli,shared,samples,functions,bench,templates/app,packages/*/src}/**/*.{ts,cts}";

/** Each fault with what it is for Node 22. */
const NEWER: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\s*(await )?using \w+ =/m, "a using declaration, which it cannot parse"],
  [/registerHooks\(\{[^}]*?\bload\b/, "a load hook, with which it loads no module that a CommonJS module requires"],
];

const faultsOf = (source: string) => NEWER.flatMap(([pattern, what]) => (pattern.test(source) ? [what] : []));

test("no source needs a newer Node than the oldest that is named", () => {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !/node_modules|\.test\.ts$|\/dist\//.test(file));
  expect(files.length).toBeGreaterThan(300);
  expect(
    files.flatMap((file) => faultsOf(readFileSync(join(ROOT, file), "utf8")).map((fault) => `${file}: ${fault}`)),
  ).toEqual([]);
});

test("planted: both are found", () => {
  expect(faultsOf("  await using client = open();\n")).toHaveLength(1);
  expect(faultsOf("registerHooks({\n  load(url, context, next) {")).toHaveLength(1);
  expect(faultsOf("registerHooks({\n  resolve: (specifier) => specifier })")).toEqual([]);
});
