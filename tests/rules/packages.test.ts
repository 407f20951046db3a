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
  const [folder, name, kind] = file.split("/");
  const isTest = kind === "tests" || file.endsWith(".test.ts");
  const sources = [...text.matchAll(/(?:from|import\(|mock\()\s*"(\.[^"]*)"/g)].map(([, source = ""]) => source);
  return sources
    .filter((source) => {
      const imported = join(dirname(file), source);
      const isOwn = imported.startsWith(join(folder ?? "", name ?? "", "/"));
      return !isOwn && !(isTest && /^packages\/[a-z]+\/tests\//.test(imported));
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
    "packages/core/src/domain/record/plan.test.ts",
    'import { a } from "../../../../../shared/app.ts";',
  );
  expect(found).toEqual(["packages/core/src/domain/record/plan.test.ts: ../../../../../shared/app.ts"]);
});

/** Where "order" is a sequence, as in SQL. */
const SEQUENCE =
  /ORDER BY|\b[Oo]rder of (?:writes|effects|arrival|members|keys|the inputs|the given|their instants)|\bin order\b|\bin (?:the|their|reverse|what|one) order\b|\btheir order\b|[Pp]artial-order\b|\bno order of (?:their|its) own\b|the order (?:of|in which)/g;

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

/** What is wrong with a page that stands in a tarball: a link to what is not there, or no word on how to install what is not on npm. */
function readmeFaults(name: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const folder = name.slice("@scheduler-agent-supervisor/".length);
  return [
    ...links.filter((link) => !/^(https:|#)/.test(link)).map((link) => `${name}: ${link} is not in its tarball`),
    ...(text.includes("not on npm") ? [] : [`${name}: does not say that it is not on npm`]),
    ...(text.includes(`npm pack ./packages/${folder} `) ? [] : [`${name}: does not say how to pack it`]),
    // By its name alone npm would install what anybody has put there.
    ...[...text.matchAll(/(?:npm (?:i|install|add)|npx) (?:-\S+ )*@?[a-z]\S*/g)].map(
      ([command]) => `${name}: ${command}`,
    ),
  ];
}

test("each package says what it is, is published by no mistake, and its page holds in its tarball", () => {
  for (const file of ["package.json", ...globSync("packages/*/package.json", { cwd: root })]) {
    const { name, ...own } = read(file);
    expect(own, file).toMatchObject({ private: true, license: "MIT", description: expect.stringMatching(/\.$/) });
    expect(own.keywords.length, file).toBeGreaterThanOrEqual(4);
    if (file === "package.json") continue;
    const text = readFileSync(join(root, dirname(file), "README.md"), "utf8");
    expect(readmeFaults(name, text)).toEqual([]);
    // What of this repository it depends on is installed with it, in the version that it names.
    const others = Object.keys({ ...own.dependencies, ...own.peerDependencies });
    for (const other of [name, ...others.filter((one) => one.startsWith("@scheduler-agent-supervisor/"))])
      expect(text).toContain(`./${other.slice(1).replace("/", "-")}-${own.version}.tgz`);
  }
});

test("planted: a link out of the tarball, and a name that others can take, are found", () => {
  const text = "not on npm: npm pack ./packages/x --pack-destination .";
  const name = "@scheduler-agent-supervisor/x";
  expect(readmeFaults(name, `${text} [a](../core/README.md)`)).toHaveLength(1);
  expect(readmeFaults(name, `${text} npm install -D ${name}`)).toHaveLength(1);
  expect(readmeFaults(name, `${text} npx local-host`)).toHaveLength(1);
  expect(readmeFaults(name, `${text} npm install ./x.tgz`)).toEqual([]);
  expect(readmeFaults(name, "")).toHaveLength(2);
});
