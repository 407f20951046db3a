// docs/reference/pattern.md is true: every row names files that exist and tests that are there, and no row is without one.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const lines = read("docs/reference/pattern.md").split("\n");
const rows = lines.flatMap((line) => {
  const [, id, what, where, shown] = line.split("|").map((cell) => cell.trim());
  return id && /^P\d+$/.test(id) ? [{ id, what: what ?? "", where: where ?? "", shown: shown ?? "" }] : [];
});

const DIFFERENCES = "docs/explanation/where-we-differ.md";
/** The rows of the second part: each names a section of the page. */
const differences = lines.flatMap((line) => {
  const [, heading, where = "", shown = ""] =
    /^\| \[(.+)\]\(\.\.\/explanation\/where-we-differ\.md#[\w-]+\) \| (.+) \| (.+) \|$/.exec(line) ?? [];
  return heading ? [{ heading, where, shown }] : [];
});

const tests = globSync("{packages/*/{src,tests},shared,tests}/**/*.test.ts", { cwd: root })
  .concat(globSync("{tests,packages/core/tests}/contract/*.ts", { cwd: root }))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** The suites whose tests run the whole stack. */
const STACK = /^tests\/(stack|faults|chaos|outages)\//;

/** Names in backticks. */
const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => (name ? [name] : []));

const numberOf = (id: string) => Number(id.slice(1));

test("the table has the rows P1 to P20, and one for each further row that a test cites, in their order", () => {
  const titles = tests.flatMap(({ text }) => [...text.matchAll(/["`]((?:P\d+ )+)/g)].map(([, cited = ""]) => cited));
  const cited = titles.flatMap((ids) => ids.trim().split(" "));
  const article = Array.from({ length: 20 }, (_, index) => `P${index + 1}`);
  const wanted = [...new Set([...article, ...cited])].sort((one, other) => numberOf(one) - numberOf(other));
  expect(rows.map(({ id }) => id)).toEqual(wanted);
});

test("each difference from the article has its row, and each row its section", () => {
  const headings = [...read(DIFFERENCES).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(differences.map(({ heading }) => heading)).toEqual(
    headings.filter((heading) => heading !== "What the pattern is not for"),
  );
  for (const { heading, where, shown } of differences) {
    expect(named(where).length * named(shown).length, heading).toBeGreaterThan(0);
    for (const file of [...named(where), ...named(shown)]) expect(existsSync(join(root, file)), file).toBe(true);
    for (const file of named(shown)) expect(file).toMatch(/\.test\.ts$/);
  }
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
