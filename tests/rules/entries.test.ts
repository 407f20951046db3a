// The core's public entries: an app needs no others, an installed package has no others, and those that commands load stay light.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const core = join(root, "packages/core");
const CORE = "@scheduler-agent-supervisor/core";
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

/** What the app, its functions and the template of a new app import of the core. */
function imported(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root });
  const names = files
    .filter((file) => !(file.startsWith("shared") && file.endsWith(".test.ts")))
    .flatMap((file) =>
      [...read(file).matchAll(/"(@scheduler-agent-supervisor\/core\/[^"]+)"/g)].map(([, name]) => name ?? ""),
    );
  return [...new Set(names)].sort();
}

test("an app imports nothing of the core that the installed package lacks", () => {
  const names = imported("{shared,functions,templates/app}/**/*.ts");
  expect(names).toEqual(
    expect.arrayContaining([`${CORE}/agents`, `${CORE}/create-app`, `${CORE}/functions/scheduler`]),
  );
  for (const [at, place] of installed(names).entries()) {
    const file = fileURLToPath(place ?? "file:///nowhere");
    expect(file.startsWith(join(core, "dist")) && existsSync(file), names[at]).toBe(true);
  }
});

test("the installed package exports none of the core's other modules", () => {
  const modules = globSync("**/*.ts", { cwd: join(core, "src") })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => `${CORE}/${file.replaceAll("\\", "/").replace(/\.ts$/, "")}`);
  const places = installed(modules);
  const open = modules.filter((_, at) => places[at] !== null).sort();
  const named = open.filter((name) => !name.startsWith(`${CORE}/functions/`));
  expect(named).toEqual(
    globSync("*.ts", { cwd: join(core, "src") })
      .map((file) => `${CORE}/${basename(file, ".ts")}`)
      .sort(),
  );
  // The orchestrator stands beside the rest of the scheduler.
  const functions = [...open.filter((name) => name.startsWith(`${CORE}/functions/`)), `${CORE}/functions/scheduler`];
  expect(functions.sort()).toEqual(imported("functions/*.ts"));
  expect(modules.length - open.length).toBeGreaterThan(100);
});

test("the core's README says what each entry is for", () => {
  const { exports } = JSON.parse(read("packages/core/package.json")) as {
    exports: Record<string, { default?: string }>;
  };
  const entries = Object.entries(exports).flatMap(([name, { default: file }]) => (file ? [name.slice(1)] : []));
  const listed = [...read("packages/core/README.md").matchAll(/^\| `(\/[^`]+)` \| \S/gm)].map(([, name]) => name);
  // One line stands for all functions.
  expect(listed.sort()).toEqual(entries.filter((name) => !/^\/functions\/[a-z]/.test(name)).sort());
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
