// What the packages export is documented where it is declared: the API reference is made of that.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Declaration, exportsOf, typesNamedBy } from "./declarations.ts";
import { entries } from "./entries.ts";
import { apiPages, wordsOf } from "./pages.ts";

const folder = mkdtempSync(join(tmpdir(), "declarations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const all = entries();

/** Exported names of which no docstring says what they are: one of tags alone does not. */
function undocumented(entry: string, exported: ReadonlyMap<string, Declaration>): string[] {
  return [...exported].flatMap(([name, { doc }]) => (wordsOf(doc) === "" ? [`${entry}: ${name}`] : []));
}

function planted(name: string, text: string): string {
  const file = join(folder, `${name}.d.ts`);
  writeFileSync(file, text);
  return file;
}

test("each exported name of a public entry has a docstring", () => {
  const names = all.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["core/agents", "core/functions/scheduler", "client", "local", "local/bus"]),
  );
  expect(names).not.toContain("core/functions/jobs-api");
  expect(all.flatMap(({ name, exported }) => undocumented(name, exported))).toEqual([]);
});

test("each entry says what it is for", () => {
  expect(all.filter(({ about }) => about === "").map(({ name }) => name)).toEqual([]);
});

test("planted: a name without a docstring is found, wherever it is declared", () => {
  planted("other", "export type Bare = string;\n/** Said. */\nexport type Said = Bare;\n");
  const file = planted(
    "entry",
    'export { type Bare as Renamed, type Said } from "./other.ts";\n/* no docstring */\nexport declare const one: number;\n/** @throws always */\nexport declare function two(): void;\n/** Two more. */\nimport "x";\nexport declare function three(): void;\n',
  );
  expect(undocumented("entry", exportsOf(file))).toEqual([
    "entry: Renamed",
    "entry: one",
    "entry: two",
    "entry: three",
  ]);
});

test("the types that a declaration names are found, over imports and modules that pass on", () => {
  planted("deep", "/** Deep. */\nexport interface Deep {\n}\n");
  planted("between", 'export * from "./deep.ts";\n');
  const file = planted(
    "naming",
    'import type { z } from "zod";\nimport type { Deep as D } from "./between.ts";\ninterface Own {\n}\nexport interface Naming extends Own {\n    readonly of: z.ZodType<D>;\n}\n',
  );
  const [naming] = exportsOf(file).values();
  expect(naming && typesNamedBy(naming).map(({ name }) => name)).toEqual(["Own", "Deep"]);
});

test("a page has each name with its docstring, its declaration, and links to the types that it names", () => {
  const file = planted(
    "page",
    "/** Makes `<T>` of <T>. @throws where it can't\n * @param seed of all that is random */\nexport declare function make(seed: number): Made;\n/** Was made. */\nexport interface Made {\n    /** In ms. */\n    readonly atMs: number;\n}\n",
  );
  const entry = { name: "core/page", about: "What it is.", source: "page.ts", exported: exportsOf(file) };
  const page = apiPages([entry]).get("core-page.md");
  expect(page).toContain(
    "### make\n\nMakes `<T>` of &lt;T>.\n\n- Throws where it can't\n- `seed`: of all that is random\n",
  );
  expect(page).toContain("```ts\nfunction make(seed: number): Made;\n```\n\nSee [`Made`](#made).");
  expect(page).toContain("    /** In ms. */\n    readonly atMs: number;\n");
});
