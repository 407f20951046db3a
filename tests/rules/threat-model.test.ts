// docs/explanation/threat-model.md is true: each attack names what stops it, and tests that are there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/explanation/threat-model.md"), "utf8");

interface Row {
  readonly attack: string;
  readonly stops: string;
  readonly shown: string;
}

/** The rows of the tables whose columns are attack, what stops it, test. */
function rowsOf(text: string): Row[] {
  return text.split(/\n\n+/).flatMap((block) => {
    const [head = "", , ...lines] = block.split("\n");
    if (!/^\| attack \| what stops it \| test \|$/.test(head)) return [];
    return lines.map((line) => {
      const [, attack = "", stops = "", shown = ""] = line.split("|").map((cell) => cell.trim());
      return { attack, stops, shown };
    });
  });
}

/** What is wrong with a row: a file or the name of a test in it that is not there, or none at all. */
function faultsOf({ attack, stops, shown }: Row): string[] {
  const named = [...shown.matchAll(/`([^`]+)` "([^"]+)"/g)].map(([, file = "", title = ""]) => ({ file, title }));
  const missing = named.filter(({ file, title }) => !hasTest(file, title));
  const rest = shown.replaceAll(/`[^`]+` "[^"]+"/g, "").replaceAll(/[\s·]/g, "");
  return [
    ...(stops === "" ? [`${attack}: nothing stops it`] : []),
    ...(named.length === 0 ? [`${attack}: names no test`] : []),
    ...missing.map(({ file, title }) => `${attack}: there is no test "${title}" in ${file}`),
    ...(rest === "" ? [] : [`${attack}: "${rest}" is no test`]),
  ];
}

/** A title is what `test`, `describe` or one of their `each` is first given. */
const TITLES = /(?:\b(?:test|describe)\(|\)\()\s*(["'`])((?:\\.|(?!\1).)*)\1/g;

function hasTest(file: string, title: string): boolean {
  if (!/\.test\.ts$/.test(file) || !existsSync(join(root, file))) return false;
  return [...readFileSync(join(root, file), "utf8").matchAll(TITLES)].some(([, , text = ""]) => text.includes(title));
}

test("each attack names what stops it, and a test that is there", () => {
  const rows = rowsOf(page);
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.flatMap(faultsOf)).toEqual([]);
});

test("planted: a test that is not there, a row without one, and one that nothing stops are found", () => {
  const file = "tests/rules/threat-model.test.ts";
  expect(faultsOf({ attack: "a", stops: "s", shown: `\`${file}\` "no such ${"test"}"` })).toHaveLength(1);
  expect(faultsOf({ attack: "a", stops: "s", shown: '`tests/none.test.ts` "planted"' })).toHaveLength(1);
  expect(faultsOf({ attack: "a", stops: "s", shown: `\`${file}\` "docs/explanation/threat-model.md"` })).toHaveLength(
    1,
  );
  expect(faultsOf({ attack: "a", stops: "", shown: "somewhere" })).toHaveLength(3);
  expect(faultsOf({ attack: "a", stops: "s", shown: `\`${file}\` "planted: a test"` })).toEqual([]);
});

test("each arrow of the picture has its actor in the table", () => {
  for (const name of ["submitting application", "remote service", "agent of another team", "operator", "any web page"])
    expect(page).toContain(`| ${name} |`);
  expect(page).toContain("```mermaid");
});
