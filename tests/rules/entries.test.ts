// The entries of the packages: at most ten each, which is all that an installed package exports; those that commands load stay light.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const SCOPE = "@scheduler-agent-supervisor";
const CORE = `${SCOPE}/core`;
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Runs a module in a process of its own: the runner's has this repository's condition. */
function node(code: string, options: readonly string[] = [], ...args: string[]): unknown {
  const all = [...options, "--input-type=module", "--eval", code, ...args];
  return JSON.parse(execFileSync(process.execPath, all, { cwd: root, encoding: "utf8" }));
}

/** Where each name leads for whoever has installed the package; null for what it does not export. */
function installed(names: readonly string[]): (string | null)[] {
  const code = `
    const found = (name) => {
      try { return import.meta.resolve(name); } catch (cause) {
        if (cause.code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return null;
        throw cause;
      }
    };
    console.log(JSON.stringify(process.argv.slice(1).map(found)));`;
  return node(code, [], ...names) as (string | null)[];
}

/** What the app, its functions and the template of a new app import of the package. */
function imported(part: string, pattern: string): string[] {
  const files = globSync(pattern, { cwd: root });
  const names = files
    .filter((file) => !(file.startsWith("shared") && file.endsWith(".test.ts")))
    .flatMap((file) =>
      [...read(file).matchAll(/"(@scheduler-agent-supervisor\/[^"]+)"/g)]
        .map(([, name]) => name ?? "")
        .filter((name) => name.startsWith(`${SCOPE}/${part}/`)),
    );
  return [...new Set(names)].sort();
}

test.each([
  ["core", ["agents", "create-app", "functions"]],
  ["operator", ["functions"]],
])("an app imports nothing of %s that the installed package lacks", (part, some) => {
  const names = imported(part, "{shared,functions,templates/app}/**/*.ts");
  expect(names).toEqual(expect.arrayContaining(some.map((name) => `${SCOPE}/${part}/${name}`)));
  for (const [at, place] of installed(names).entries()) {
    const file = fileURLToPath(place ?? "file:///nowhere");
    expect(file.startsWith(join(root, "packages", part, "dist")) && existsSync(file), names[at]).toBe(true);
  }
});

const PACKAGES = globSync("packages/*/package.json", { cwd: root }).map((file) => basename(dirname(file)));

/** The file of each entry, by what its name adds to the package's. */
function entriesOf(part: string): (readonly [name: string, file: string])[] {
  const { exports } = JSON.parse(read(`packages/${part}/package.json`)) as {
    exports: Record<string, { sources?: string }>;
  };
  return Object.entries(exports).flatMap(([name, { sources }]) =>
    sources ? [[name.slice(1), join("packages", part, sources)] as const] : [],
  );
}

const RE_EXPORT = /^export (?:type )?(?:\{([^}]*)\}|\*) from "\.\/[^"]+";\n/gm;

/** What is wrong with a package's entries, whose files are read. */
function entryFaults(part: string, entries: readonly (readonly [name: string, text: string])[]): string[] {
  const places = new Map<string, string[]>();
  const faults = entries.length > 10 ? [`${entries.length} entries`] : [];
  for (const [name, text] of entries) {
    if (name.includes("*")) faults.push(`${name} is a wildcard`);
    if (!text.startsWith(`// Public entry \`${part}${name}\`: `)) faults.push(`${name} does not say for whom it is`);
    if (text.replace(RE_EXPORT, "").replace(/^\/\/.*\n/gm, "") !== "") faults.push(`${name} is more than re-exports`);
    for (const [, list = ""] of text.matchAll(RE_EXPORT))
      for (const [, exported = ""] of list.matchAll(/(\w+)(?:,|\s*$)/g))
        places.set(exported, [...(places.get(exported) ?? []), name]);
  }
  const twice = [...places].filter(([, names]) => names.length > 1);
  return [...faults, ...twice.map(([exported, names]) => `${exported} is in ${names.join(" and ")}`)];
}

test.each(PACKAGES)("%s has at most ten entries, each of re-exports, and no name in two of them", (part) => {
  const entries = entriesOf(part);
  expect(entries.length).toBeGreaterThan(0);
  expect(
    entryFaults(
      part,
      entries.map(([name, file]) => [name, read(file)]),
    ),
  ).toEqual([]);
});

test("planted: an entry too many, a wildcard, a name in two entries and a declaration are found", () => {
  const text = (name: string) =>
    `// Public entry \`x${name}\`: for all.\nexport { type A, b as c${name.slice(1)} } from "./a.ts";\n`;
  const names = ["", ..."abcdefghi"].map((name) => name && `/${name}`);
  const unique = names.map((name) => [name, text(name).replace("type A, ", "")] as const);
  expect(entryFaults("x", unique)).toEqual([]);
  expect(entryFaults("x", [...unique, ["/z", text("/z")]])).toEqual(["11 entries"]);
  expect(entryFaults("x", [["/*", text("/*")]])).toEqual(["/* is a wildcard"]);
  expect(
    entryFaults("x", [
      ["/y", text("/y")],
      ["/z", text("/z")],
    ]),
  ).toEqual(["A is in /y and /z"]);
  expect(entryFaults("x", [["/y", `${text("/y")}export const d = 1;\n`]])).toEqual(["/y is more than re-exports"]);
  expect(entryFaults("x", [["/y", text("/z")]])).toEqual(["/y does not say for whom it is"]);
});

const USERS =
  "{shared,functions,cli,samples,bench,templates,tests,docs,docs/.vitepress/simulator,packages}/**/*.{ts,tsx,md}";

test.each(PACKAGES)("each value that %s exports is used outside of it, or shown in the documentation", (part) => {
  const inside = new RegExp(`^packages/${part}/(src|tests|dist)/|/(node_modules|dist)/`);
  const users = globSync(USERS, { cwd: root }).filter((file) => !inside.test(file.replaceAll("\\", "/")));
  const words = new Set(users.flatMap((file) => read(file).match(/\w+/g) ?? []));
  const values = entriesOf(part).flatMap(([, file]) =>
    [...read(file).matchAll(RE_EXPORT)]
      .filter(([line]) => !line.startsWith("export type"))
      .flatMap(([, list = ""]) =>
        [...list.matchAll(/(?:^|,)\s*(?:\w+ as )?(\w+)(?=,|\s*$)/g)].map(([, name = ""]) => name),
      ),
  );
  expect(values.length).toBeGreaterThan(1);
  expect(values.filter((name) => !words.has(name))).toEqual([]);
});

test.each(PACKAGES)("the installed %s exports its entries alone", (part) => {
  const name = `${SCOPE}/${part}`;
  const sources = join(root, "packages", part, "src");
  const modules = globSync("**/*.ts", { cwd: sources })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => `/${file.replaceAll("\\", "/").replace(/\.ts$/, "")}`);
  const entries = entriesOf(part).map(([entry]) => entry);
  const all = [...new Set([...modules, ...entries])];
  const places = installed(all.map((module) => name + module));
  expect(all.filter((_, at) => places[at] !== null).sort()).toEqual(entries.sort());
  for (const place of places) if (place !== null) expect(existsSync(fileURLToPath(place)), place).toBe(true);
});

test("the core's README says what each entry is for", () => {
  const entries = entriesOf("core").map(([name]) => name);
  const listed = [...read("packages/core/README.md").matchAll(/^\| `(\/[^`]+)` \| \S/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(entries.sort());
});

const SDKS = ["@azure/cosmos", "@azure/service-bus", "@azure/storage-blob", "@azure/functions", "durable-functions"];

/** Which of the SDKs are loaded with an entry. */
function loadedWith(entry: string): string[] {
  const code = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(process.argv[1]);
    console.log(JSON.stringify(loaded));`;
  const urls = node(code, ["-C", "sources"], `${CORE}/${entry}`) as string[];
  expect(urls.some((url) => url.includes(`packages/core/src/${entry}`))).toBe(true);
  return SDKS.filter((name) => urls.some((url) => url.includes(`node_modules/${name}/`)));
}

test.each(["agents", "app", "domain", "messaging", "store", "telemetry", "workflows"])(
  "%s loads no SDK: commands that import it begin at once",
  (entry) => expect(loadedWith(entry)).toEqual([]),
);

test("an SDK that an entry loads is seen", () => {
  expect(loadedWith("create-app")).toEqual(expect.arrayContaining(["@azure/cosmos", "@azure/service-bus"]));
});
