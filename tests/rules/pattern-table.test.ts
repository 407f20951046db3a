// docs/reference/pattern.md is true: every row names files that exist and tests that are there, and no row is without one.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const rows = readFileSync(join(root, "docs", "reference", "pattern.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, id, what, where, shown] = line.split("|").map((cell) => cell.trim());
    return id && /^P\d+$/.test(id) ? [{ id, what: what ?? "", where: where ?? "", shown: shown ?? "" }] : [];
  });

const tests = globSync("{packages/*/{src,tests},shared,tests}/**/*.test.ts", { cwd: root })
  .concat(globSync("{tests,packages/core/tests}/contract/*.ts", { cwd: root }))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** The suites whose tests run the whole stack. */
const STACK = /^tests\/(stack|faults|chaos)\//;

/** Names in backticks. */
const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => (name ? [name] : []));

test("the table has the rows P1 to P20, in their order", () => {
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `P${index + 1}`));
});

test.each(rows)("$id: what it names is there", ({ id, where, shown }) => {
  for (const file of named(where)) expect(existsSync(join(root, file)), file).toBe(true);
  expect(named(shown).length, "a row that is done names its tests").toBeGreaterThan(0);
  expect(named(shown), "one of them over the whole stack").toContainEqual(expect.stringMatching(STACK));
  for (const file of named(shown)) {
    const suite = tests.find((candidate) => candidate.file === file);
    expect(suite, file).toBeDefined();
    expect(suite?.text, `${file} has a test or a suite that is named after ${id}`).toMatch(
      new RegExp(`["\`](P\\d+ )*${id} `),
    );
  }
});
