// Modules of the packages, and those of the commands, import each other in one direction, types included: a reader can begin at the bottom.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

type Imports = ReadonlyMap<string, readonly string[]>;

function importsOf(folder: string): Imports {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const sources = [...text.matchAll(/(?:from |import\()"(\.[^"]*)"/g)].map(([, source = ""]) => source);
      return [file, sources.map((source) => join(dirname(file), source))];
    }),
  );
}

/** The circles that a walk through all imports meets, each as the path from a module back to itself. */
function circlesIn(imports: Imports): string[] {
  const left = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, path: readonly string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (left.has(file) || path.includes(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...path, file]);
    left.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return found;
}

test.each([
  "packages/core/src",
  "packages/operator/src",
  "packages/operator/console/src",
  "packages/testing/src",
  "packages/client/src",
  "packages/local/src",
])("%s has no circle of imports", (folder) => {
  const imports = importsOf(folder);
  expect([...imports.values()].flat().length).toBeGreaterThan(5);
  expect(circlesIn(imports)).toEqual([]);
});

/** Its folders, each with those that it imports. */
function foldersOf(imports: Imports): Imports {
  const folders = new Map<string, Set<string>>();
  for (const [file, sources] of imports) {
    const own = folders.get(dirname(file)) ?? new Set();
    folders.set(dirname(file), own);
    for (const source of sources) if (dirname(source) !== dirname(file)) own.add(dirname(source));
  }
  return new Map([...folders].map(([folder, others]) => [folder, [...others]]));
}

test("the domain's folders import each other in one direction", () => {
  const folders = foldersOf(importsOf("packages/core/src/domain"));
  expect(folders.size).toBeGreaterThan(5);
  expect(circlesIn(folders)).toEqual([]);
});

test("a planted circle of folders is found", () => {
  const [plan, step] = ["packages/core/src/domain/record/plan.ts", "packages/core/src/domain/steps/step-run.ts"];
  const planted = new Map([...importsOf("packages/core/src/domain"), [plan, [step]]]);
  expect(circlesIn(foldersOf(planted))).not.toEqual([]);
});

test("a planted circle by a type is found", () => {
  const poll = "packages/core/src/domain/steps/poll.ts";
  const planted = new Map([...importsOf("packages/core/src"), ["packages/core/src/domain/duration.ts", [poll]]]);
  expect(circlesIn(planted)).toContainEqual(
    expect.stringMatching(/duration\.ts -> .*poll\.ts|poll\.ts -> .*duration\.ts/),
  );
});
