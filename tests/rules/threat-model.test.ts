// docs/explanation/threat-model.md is true: each attack names what stops it, and has tests that are there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Shown, THREATS } from "./threats.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/explanation/threat-model.md"), "utf8");

interface Row {
  readonly id: string;
  readonly attack: string;
  readonly stops: string;
}

/** The rows of the tables whose columns are the number, attack, what stops it. */
function rowsOf(text: string): Row[] {
  return text.split(/\n\n+/).flatMap((block) => {
    const [head = "", , ...lines] = block.split("\n");
    if (!/^\| \| attack \| what stops it \|$/.test(head)) return [];
    return lines.map((line) => {
      const [, id = "", attack = "", stops = ""] = line.split("|").map((cell) => cell.trim());
      return { id, attack, stops };
    });
  });
}

/** What is wrong with a row: nothing stops the attack, or no test that is there shows it. */
function faultsOf({ id, attack, stops }: Row, shown: readonly Shown[] = THREATS[id] ?? []): string[] {
  const missing = shown.filter(([file, title]) => !hasTest(file, title));
  return [
    ...(attack === "" || stops === "" ? [`${id}: nothing stops it`] : []),
    ...(shown.length === 0 ? [`${id}: names no test`] : []),
    ...missing.map(([file, title]) => `${id}: there is no test "${title}" in ${file}`),
  ];
}

/** A title is what `test`, `describe` or one of their `each` is first given. */
const TITLES = /(?:\b(?:test|describe)\(|\)\()\s*(["'`])((?:\\.|(?!\1).)*)\1/g;

function hasTest(file: string, title: string): boolean {
  if (!/\.test\.ts$/.test(file) || !existsSync(join(root, file))) return false;
  return [...readFileSync(join(root, file), "utf8").matchAll(TITLES)].some(([, , text = ""]) => text.includes(title));
}

test("each attack names what stops it, and has a test that is there", () => {
  const rows = rowsOf(page);
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.flatMap((row) => faultsOf(row))).toEqual([]);
});

test("the attacks with tests are those of the page, in its order", () => {
  expect(Object.keys(THREATS)).toEqual(rowsOf(page).map(({ id }) => id));
});

test("planted: a test that is not there, a row without one, and one that nothing stops are found", () => {
  const file = "tests/rules/threat-model.test.ts";
  const row = { id: "S0", attack: "a", stops: "s" };
  expect(faultsOf(row, [[file, `no such ${"test"}`]])).toHaveLength(1);
  expect(faultsOf(row, [["tests/none.test.ts", "planted"]])).toHaveLength(1);
  expect(faultsOf(row, [["tests/rules/threats.ts", "planted"]])).toHaveLength(1);
  expect(faultsOf({ ...row, stops: "" })).toHaveLength(2);
  expect(faultsOf(row, [[file, "planted: a test"]])).toEqual([]);
});

test("each arrow of the picture has its actor in the table", () => {
  for (const name of ["submitting application", "remote service", "agent of another team", "operator", "any web page"])
    expect(page).toContain(`| ${name} |`);
  expect(page).toContain("```mermaid");
});
