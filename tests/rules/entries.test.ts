// The public entries of core and desk: an app needs no others, an installed package has no others, and those that commands load stay light.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
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
  ["operator", ["functions/operator-api", "functions/console"]],
])("an app imports nothing of %s that the installed package lacks", (part, some) => {
  const names = imported(part, "{shared,functions,templates/app}/**/*.ts");
  expect(names).toEqual(expect.arrayContaining(some.map((name) => `${SCOPE}/${part}/${name}`)));
  for (const [at, place] of installed(names).entries()) {
    const file = fileURLToPath(place ?? "file:///nowhere");
    expect(file.startsWith(join(root, "packages", part, "dist")) && existsSync(file), names[at]).toBe(true);
  }
});

test.each([
  ["core", 100],
  ["operator", 60],
])("the installed %s exports none of its other modules under their own names", (part, most) => {
  const name = `${SCOPE}/${part}`;
  const sources = join(root, "packages", part, "src");
  const modules = globSync("**/*.ts", { cwd: sources })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => `${name}/${file.replaceAll("\\", "/").replace(/\.ts$/, "")}`);
  const places = installed(modules);
  const open = modules.filter((_, at) => places[at] !== null).sort();
  const entries = part === "core" ? globSync("*.ts", { cwd: sources }).map((file) => basename(file, ".ts")) : [];
  expect(open.filter((one) => !one.startsWith(`${name}/functions/`))).toEqual(
    entries.map((entry) => `${name}/${entry}`).sort(),
  );
  const functions = open.filter((one) => one.startsWith(`${name}/functions/`));
  const own = imported(part, "functions/*.ts").filter((one) => one.startsWith(`${name}/functions/`));
  expect(functions.sort()).toEqual(own);
  expect(modules.length - open.length).toBeGreaterThan(most);
});

test("the core's README says what each entry is for", () => {
  const { exports } = JSON.parse(read("packages/core/package.json")) as {
    exports: Record<string, { default?: string }>;
  };
  const entries = Object.entries(exports).flatMap(([name, { default: file }]) => (file ? [name.slice(1)] : []));
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

test.each(["agents", "app", "contracts", "records", "start-faults", "workflows"])(
  "%s loads no SDK: commands that import it begin at once",
  (entry) => expect(loadedWith(entry)).toEqual([]),
);

test("an SDK that an entry loads is seen", () => {
  expect(loadedWith("create-app")).toEqual(expect.arrayContaining(["@azure/cosmos", "@azure/service-bus"]));
});
