// The packages of this repository: they run on the versions that the app is tested with, and have the app's own.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
const app = read("package.json");
const { packages: locked } = read("package-lock.json");

test.each(globSync("packages/*/package.json", { cwd: root }))(
  "%s: each dependency has the version of the app's",
  (file) => {
    const own = read(file);
    const wanted: Record<string, string> = { ...own.dependencies, ...own.peerDependencies };
    const versionOf = (path: string): string | undefined => {
      const { link, resolved, version } = locked[path] ?? {};
      return link ? versionOf(resolved) : version;
    };
    const installed = Object.keys(wanted).map((name) => [name, versionOf(`node_modules/${name}`)]);
    expect(wanted).toEqual(Object.fromEntries(installed));
    const others: Record<string, string> = { ...app.devDependencies, ...app.dependencies };
    for (const [name, version] of Object.entries(wanted)) expect(others[name] ?? version, name).toBe(version);
    expect(own.version).toBe(app.version);
    expect(own.engines).toEqual(app.engines);
  },
);

test("what the app depends on of them is what is here", () => {
  const names = globSync("packages/*/package.json", { cwd: root }).map((file) => read(file).name);
  const others: Record<string, string> = { ...app.devDependencies, ...app.dependencies };
  expect(names.map((name) => others[name])).toEqual(names.map(() => app.version));
  expect(app.workspaces.map((folder: string) => read(`${folder}/package.json`).name).sort()).toEqual(names.sort());
});

/**
 * Where the module imports from what is neither its own package nor a library: other packages may be imported by their names, and a test
 * may import what another package has for its tests.
 */
function foreignImports(file: string, text: string): string[] {
  const [folder, name] = file.split("/");
  const sources = [...text.matchAll(/(?:from|import\(|mock\()\s*"(\.[^"]*)"/g)].map(([, source = ""]) => source);
  return sources
    .filter((source) => {
      const imported = join(dirname(file), source);
      const isOwn = imported.startsWith(join(folder ?? "", name ?? "", "/"));
      return !isOwn && !(file.endsWith(".test.ts") && /^packages\/[a-z]+\/tests\//.test(imported));
    })
    .map((source) => `${file}: ${source}`);
}

test("whatever business an app has, no package and none of its tests imports it", () => {
  const files = globSync("packages/*/{src,tests}/**/*.ts", { cwd: root });
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((file) => foreignImports(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("a planted import of an app's file is found", () => {
  const found = foreignImports(
    "packages/core/src/domain/plan.test.ts",
    'import { a } from "../../../../shared/app.ts";',
  );
  expect(found).toEqual(["packages/core/src/domain/plan.test.ts: ../../../../shared/app.ts"]);
});

/** Where "order" is a sequence, as in SQL. */
const SEQUENCE =
  /ORDER BY|\b[Oo]rder of (?:writes|effects|arrival|members|keys|the inputs|the given|their instants)|\bin order\b|\bin (?:the|their|reverse|what|one) order\b|\btheir order\b|\bno order of (?:their|its) own\b|the order (?:of|in which)/g;

/** Lines in which "order" is a word or a part of a name. */
const withOrder = (file: string, text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /(?<![a-z])order(?!ed|ing)|Order/.test(line.replace(SEQUENCE, "")))
    .map((line) => `${file}: ${line.trim().slice(0, 120)}`);

test("the core knows no order: that is the sample's word for a job", () => {
  const files = globSync("packages/{core,operator,testing}/{src,tests}/**/*.ts", { cwd: root });
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((file) => withOrder(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
  expect(files.filter((file) => /order/i.test(file))).toEqual([]);
});

test.each([
  'throw new Error("there is no such order");',
  "const { orderId } = record;",
  "export interface OrderStore {}",
  "const ofOrder = 1;",
])("planted: %s is found", (line) => {
  expect(withOrder("a.ts", `// Order of writes: the record, then the rest.\n${line}`)).toHaveLength(1);
});
