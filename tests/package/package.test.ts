// The deployment package: what is in it and what isn't, and that it runs by itself: unpacked where no node_modules are near.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AppPackage, packApp, writePackage } from "../../cli/every-app/app-package.ts";
import { productionPlaces } from "../../cli/every-app/production.ts";
import type { Settings } from "../../cli/every-app/stack-file.ts";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack } from "../support/test-stack.ts";

/** It packs the app several times. */

const folder = mkdtempSync(join(tmpdir(), "package-"));
const out = join(folder, "out");
let made: AppPackage;
let unzipped: Record<string, Uint8Array>;
beforeAll(async () => {
  made = await packApp(ROOT);
  writePackage(made, out);
  unzipped = unzipSync(made.zip);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

test("it holds the app and what it needs, and nothing else", () => {
  const functions = readdirSync(join(ROOT, "functions"))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `dist/functions/${name.replace(".ts", ".js")}`);
  const others = ["dist/libraries/libraries.js", "dist/rolldown-runtime.js", "dist/shared/shared.js"];
  const built = join(ROOT, "packages/operator/dist/console");
  const listed = readdirSync(built, { recursive: true, withFileTypes: true });
  const console = listed.flatMap((entry) =>
    entry.isFile() ? [join("dist/console", relative(built, entry.parentPath), entry.name)] : [],
  );
  expect(console.filter((path) => path.endsWith(".js.br")).length).toBeGreaterThan(3);
  const expected = [...functions, ...others, ...console, "host.json", "libraries.json", "package.json"];
  const isLater = (path: string) => /^dist\/later\/[\w.-]+\.js$/.test(path);
  expect(Object.keys(unzipped).filter((path) => !isLater(path))).toEqual(expected.sort());
  expect(strFromU8(unzipped["host.json"] ?? new Uint8Array())).toBe(readFileSync(join(ROOT, "host.json"), "utf8"));
});

test("its host.json names the backend that is chosen, and is otherwise the project's", async () => {
  const host = JSON.parse(
    strFromU8((await packApp(ROOT, "durableTaskScheduler")).files.get("host.json") ?? new Uint8Array()),
  );
  const own = readJson("host.json");
  expect(host.extensions.durableTask.storageProvider).toEqual({
    type: "azureManaged",
    connectionStringName: "DURABLE_TASK_SCHEDULER_CONNECTION_STRING",
  });
  host.extensions.durableTask.storageProvider = own.extensions.durableTask.storageProvider;
  expect(host).toEqual(own);
});

test("its code is that of functions/, shared/ and the core, and names no folder of the machine that packed it", () => {
  const code = Object.entries(unzipped).filter(([path]) => path.endsWith(".js"));
  const text = code.map(([, content]) => strFromU8(content)).join("\n");
  expect(text).toContain("// packages/core/dist/domain/");
  expect(text).toContain("// dist/shared/workflows/");
  expect(text).not.toContain("// packages/local/dist/");
  expect(text).not.toContain("// instead/");
  expect(text).not.toContain(ROOT);
});

test("what only some apps need is loaded when it is wanted: credentials, and where telemetry goes", () => {
  const has = (path: string, text: string) =>
    strFromU8(unzipped[path] ?? new Uint8Array()).includes(`// node_modules/${text}`);
  const later = Object.keys(unzipped).filter((path) => path.startsWith("dist/later/"));
  for (const library of ["@opentelemetry/sdk-trace/", "@azure/monitor-opentelemetry-exporter/", "@azure/identity/"]) {
    expect(has("dist/libraries/libraries.js", library), library).toBe(false);
    expect(
      later.some((path) => has(path, library)),
      library,
    ).toBe(true);
  }
});

test("package.json says what the worker loads, and gives a build in Azure nothing to install", () => {
  const { main, type } = readJson("package.json");
  const packed = JSON.parse(strFromU8(unzipped["package.json"] ?? new Uint8Array()));
  expect(packed).toMatchObject({ main, type });
  expect(Object.keys(packed)).not.toContain("dependencies");
});

test("the libraries inside are those of the lock file, for production alone", () => {
  const { packages } = readJson("package-lock.json") as {
    packages: Record<string, { version: string; dev?: boolean }>;
  };
  const production = Object.entries(packages).filter(([path, { dev }]) => path.includes("node_modules/") && !dev);
  const allowed = production.map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`);
  const inside = JSON.parse(strFromU8(unzipped["libraries.json"] ?? new Uint8Array()));
  expect(inside).toEqual(made.libraries);
  expect(inside.filter((name: string) => !allowed.includes(name))).toEqual([]);
  const direct = readJson("package.json").dependencies as Record<string, string>;
  const used = ["@azure/functions", "@azure/service-bus", "@azure/cosmos", "durable-functions", "zod"];
  expect(inside).toEqual(expect.arrayContaining(used.map((name) => `${name}@${direct[name]}`)));
  // None is a stand-in, and the list that a pipeline signs is the same.
  expect([...productionPlaces({ packages })].filter((place) => place.startsWith("instead/"))).toEqual([]);
  const signed = JSON.parse(readFileSync(join(out, "app.sbom.json"), "utf8")) as {
    components: { name: string; version: string }[];
  };
  expect(signed.components.map(({ name, version }) => `${name}@${version}`)).toEqual(inside);
});

test("the same sources make the same bytes", async () => {
  const again = await packApp(ROOT);
  expect(Buffer.from(again.zip).equals(Buffer.from(made.zip))).toBe(true);
});

test("what .funcignore lets in is packed too, settings and secrets never, and what the app needs can't be left out", async () => {
  const project = copyOfProject("let-in");
  for (const name of ["local.settings.json", ".env", ".env.local", "extra/rules.json", "extra/notes.ts", "left.txt"]) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), "secret");
  }
  const rules = readFileSync(join(ROOT, ".funcignore"), "utf8");
  const more = "\n!/extra/\n!local.settings.json\n!.env\n!.env.local\n/extra/*.ts\n";
  writeFileSync(join(project, ".funcignore"), rules + more);
  const { files } = await packApp(project);
  expect([...files.keys()].filter((path) => !made.files.has(path))).toEqual(["extra/rules.json"]);
  writeFileSync(join(project, ".funcignore"), `${rules}\n/dist/shared/\nhost.json\n`);
  await expect(packApp(project)).rejects.toThrow(
    /excludes files that the app needs: host\.json, dist\/shared\/shared\.js/,
  );
});

test("an import that only a development dependency answers is rejected, as is a version that isn't the lock file's", async () => {
  const project = copyOfProject("rejected");
  const file = join(project, "dist/functions/supervisor.js");
  const source = readFileSync(file, "utf8");
  writeFileSync(file, `${source}\nimport { zipSync } from "fflate"; globalThis.zip = zipSync;`);
  await expect(packApp(project)).rejects.toThrow("supervisor.js imports fflate, which is not in the package");
  const local = "@scheduler-agent-supervisor/local/bus";
  writeFileSync(file, `${source}\nimport { startBus } from "${local}"; globalThis.bus = startBus;`);
  await expect(packApp(project)).rejects.toThrow(`supervisor.js imports ${local}, which is not in the package`);
  writeFileSync(file, `${source}\nimport gone from "no-such-package"; globalThis.gone = gone;`);
  await expect(packApp(project)).rejects.toThrow("no-such-package");
  writeFileSync(file, source);
  const lock = readJson("package-lock.json");
  lock.packages["node_modules/zod"].version = "0.0.1";
  writeFileSync(join(project, "package-lock.json"), JSON.stringify(lock));
  await expect(packApp(project)).rejects.toThrow(/node_modules\/zod is .*, and 0\.0\.1 in package-lock\.json/);
});

test("it is written in the place of an earlier package, never in that of anything else", () => {
  writeFileSync(join(out, "app", "old.js"), "");
  writePackage(made, out);
  expect(existsSync(join(out, "app", "old.js"))).toBe(false);
  expect(readFileSync(join(out, "app.zip")).equals(Buffer.from(made.zip))).toBe(true);
  expect(() => writePackage(made, folder)).toThrow(
    "contains files that do not belong to a package: let-in, out, rejected",
  );
  expect(readdirSync(folder).filter((name) => name.includes(String(process.pid)))).toEqual([]);
});

test("unpacked far from any node_modules, it runs on the host: every function is there, and an order goes through", async () => {
  const app = join(folder, "unpacked");
  for (const [path, content] of Object.entries(unzipped)) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), content);
  }
  for (let above = app; above !== dirname(above); above = dirname(above)) {
    expect(existsSync(join(above, "node_modules")), above).toBe(false);
  }
  const data = join(folder, "data");
  await using stack = await startTestStack({ appDir: app, data, parts: PART_NAMES });
  const listed = await stack.call("admin/functions");
  const names = ((await listed.json()) as { name: string }[]).map(({ name }) => name);
  expect(names.sort()).toEqual(functionsAsCompiled(stack.settings).sort());

  const index = await (await fetch(`${stack.stack.addresses.host?.url}/console`)).text();
  const [script = ""] = /\/console\/assets\/index-[\w-]+\.js/.exec(index) ?? [];
  const served = await fetch(`${stack.stack.addresses.host?.url}${script}`, { headers: { "accept-encoding": "br" } });
  expect(served.headers.get("content-encoding")).toBe("br");

  await stack.shop.send(madeOrder("packed-1"));
  const record = await stack.eventually("packed-1", ({ processState }) => processState === "Processed");
  expect(Object.values(record.steps).map(({ state }) => state)).toEqual(Array(5).fill("Completed"));
  await expect.poll(() => stack.statuses("packed-1").at(-1)?.subject).toBe("Completed");
  await expect.poll(() => tracesIn(data, "packed-1")).toMatchObject([{ spans: { length: 24 } }]);
});

function tracesIn(data: string, orderId: string) {
  const reader = openTraces(join(data, "traces"));
  const found = reader?.tracesWith("jobId", orderId) ?? [];
  reader?.close();
  return found;
}

/** What the app registers before it is bundled. */
function functionsAsCompiled(settings: Settings): string[] {
  const code = `
    const { loadApp } = await import(${JSON.stringify(join(ROOT, "packages/local/dist/host/app/app.js"))});
    const { functions } = await loadApp(${JSON.stringify(ROOT)});
    process.stdout.write(JSON.stringify([...functions.keys()]), () => process.exit());`;
  const args = ["--input-type=module", "--eval", code];
  const output = execFileSync(process.execPath, args, { env: { ...process.env, ...settings }, encoding: "utf8" });
  // Before it stands what the app's start says.
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

/** The project as far as packing reads it; its libraries are the real ones. */
function copyOfProject(name: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  for (const part of [
    ".funcignore",
    "host.json",
    "package.json",
    "package-lock.json",
    "dist/functions",
    "dist/shared",
  ]) {
    cpSync(join(ROOT, part), join(project, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"), "dir");
  return project;
}
