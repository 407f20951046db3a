import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CompiledFiles, compileIfChanged } from "./compiled-files.ts";

let files: CompiledFiles;
let compiled = 0;
const build = (during?: () => void) =>
  compileIfChanged(files, () => {
    compiled += 1;
    during?.();
  });
const at = (name: string) => join(files.root, name);

beforeEach(() => {
  compiled = 0;
  const root = mkdtempSync(join(tmpdir(), "compiled-files-"));
  files = { root, sources: ["src/**/*.ts", "tsconfig.json"], results: ["dist/**"], stamp: join(root, "cache/stamp") };
  for (const folder of ["src/inner", "dist/inner"]) mkdirSync(at(folder), { recursive: true });
  for (const name of ["src/a.ts", "src/inner/b.ts", "tsconfig.json", "dist/a.js", "dist/inner/b.js"]) {
    writeFileSync(at(name), name);
  }
});
afterEach(() => rmSync(files.root, { recursive: true }));

test("what has not changed since is compiled once, whatever else changes", () => {
  build();
  writeFileSync(at("src/notes.md"), "no source");
  build();
  expect(compiled).toBe(1);
});

test.each([
  ["a source changes", () => writeFileSync(at("src/inner/b.ts"), "changed")],
  ["a source comes", () => writeFileSync(at("src/c.ts"), "")],
  ["a source goes", () => rmSync(at("src/a.ts"))],
  ["a source gets another name", () => renameSync(at("src/a.ts"), at("src/c.ts"))],
  ["the compiler's settings change", () => writeFileSync(at("tsconfig.json"), "{}")],
  ["a result is changed by hand", () => writeFileSync(at("dist/inner/b.js"), "changed")],
  ["a result goes", () => rmSync(at("dist/a.js"))],
  ["a file comes among the results", () => writeFileSync(at("dist/c.js"), "")],
])("compiled again once %s", (_, change) => {
  build();
  change();
  build();
  expect(compiled).toBe(2);
});

test("a source that changes while the compiler runs is compiled again", () => {
  build(() => writeFileSync(at("src/a.ts"), "changed meanwhile"));
  build();
  expect(compiled).toBe(2);
});

test("a build that fails is not taken for one", () => {
  const failing = () => {
    throw new Error("the sources do not compile");
  };
  expect(() => build(failing)).toThrow();
  build();
  expect(compiled).toBe(2);
});
