// The local stack as a package: packed, installed in an empty folder outside this one, and run there by another app and program.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { CosmosClient } from "@azure/cosmos";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const NAME = "@scheduler-agent-supervisor/local";

/** It compiles, packs and installs. */

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
}
const readManifest = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Manifest;
const own = readManifest(join(ROOT, "packages/local/package.json"));
const wanted = { ...own.dependencies, ...own.peerDependencies };

const folder = realpathSync(mkdtempSync(join(tmpdir(), "local-package-")));
const installed = join(folder, "node_modules", NAME);
const run = (command: string, args: readonly string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

beforeAll(() => {
  const [packed] = JSON.parse(
    run("npm", ["pack", "./packages/local", "--json", "--silent", "--pack-destination", folder], ROOT),
  ) as [{ filename: string }];
  cpSync(join(import.meta.dirname, "foreign"), folder, { recursive: true });
  // The packages that it declares are linked to those that are here, so that this needs no registry; others are not found.
  const dependencies = Object.fromEntries(
    Object.keys(wanted).map((name) => [name, `file:${join(ROOT, "node_modules", name)}`]),
  );
  const manifest = { name: "foreign", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", `./${packed.filename}`]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("it holds compiled code, whose imports it declares, and no tests", () => {
  const files = globSync("**/*.*", { cwd: join(installed, "dist") });
  expect(files.filter((file) => /\.test\.|fixtures|tests\//.test(file))).toEqual([]);
  expect(files.filter((file) => !/\.(c?js|d\.c?ts)$/.test(file))).toEqual([]);
  const text = files.map((file) => readFileSync(join(installed, "dist", file), "utf8")).join("\n");
  const imported = [...text.matchAll(/(?:from |import\(|require\()"([^."][^"]*)"/g)].map(([, name = ""]) => name);
  const packages = imported
    .filter((name) => !isBuiltin(name))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  expect([...new Set(packages)].filter((name) => !(name in wanted))).toEqual([]);
  expect(text).not.toContain(ROOT);
});

test("another program starts it with its own app, and its SDKs are served", () => {
  expect(run(process.execPath, ["program.js"])).toMatch(/^Hello Ada\nEndpoint=sb:\/\/127\.0\.0\.1:\d+\n$/);
});

test("its types are there for that program", () => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const options = ["--noEmit", "--checkJs", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", "node"];
  const types = ["--typeRoots", join(ROOT, "node_modules/@types")];
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, ...types, "program.js"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});

test("its commands are installed", () => {
  const bin = join(folder, "node_modules/.bin");
  expect(run(join(bin, "local-services"), ["--help"])).toContain("services [bus] [cosmos]");
  expect(run(join(bin, "local-host"), ["--help"])).toContain("Usage: host APPDIR");
  expect(run(join(bin, "local"), ["--help"])).toContain("Usage: local [APPDIR]");
});

test("one command runs an app that was written for Microsoft's emulators", async () => {
  const args = [
    "app",
    "--free",
    "--data",
    "of-command",
    "--queues",
    "queues.json",
    "--cosmos-resources",
    "containers.json",
  ];
  const child = spawn(join(folder, "node_modules/.bin/local"), args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const addresses = new Map<string, string>();
    for await (const line of createInterface({ input: child.stdout })) {
      const [, name = "", address = ""] = /^([A-Z][\w ]+): (\S+)$/.exec(line) ?? [];
      addresses.set(name, address);
      if (line.startsWith("Ready")) break;
    }
    const bus = new ServiceBusClient(addresses.get("Service Bus") ?? "");
    await bus.createSender("names").sendMessages({ body: { name: "Grace" } });
    await bus.close();
    const { items } = new CosmosClient(addresses.get("Cosmos DB") ?? "").database("people").container("greetings");
    const greetings = async () => (await items.query("SELECT VALUE c.text FROM c").fetchAll()).resources;
    await expect.poll(greetings).toEqual(["Hello Grace"]);
  } finally {
    child.kill("SIGINT");
  }
  expect(await ended).toEqual([0, null]);
});
