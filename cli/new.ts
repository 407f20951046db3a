// `npm run new -- FOLDER`: makes an app of its own in a folder, which depends on this repository's packages.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { styleText } from "node:util";
import { makeFolder } from "@scheduler-agent-supervisor/local";
import { business as sample } from "../shared/business.ts";
import { words as samplesWords } from "../shared/words.ts";
import { business as template } from "../templates/app/shared/business.ts";
import { words as templatesWords } from "../templates/app/shared/words.ts";
import { GENERATED } from "./agents/generated.ts";
import { NAMED, namedFile, WORDS } from "./agents/names.ts";
import { RUNBOOKS, runbooksInWords, runbooksOfAnyApp } from "./agents/runbooks.ts";
import { build } from "./build.ts";
import { buildCommands } from "./build-commands.ts";
import { hasRegistry, npmFile } from "./common/npm.ts";
import { readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { ROOT, sampleSettings } from "./settings.ts";

const USAGE = `npm run new -- FOLDER [OPTIONS]
  FOLDER        the folder of the new app: a new or an empty one
  --name NAME   the name of its package (the folder's name)
  --no-install  does not install its libraries`;

const PACKAGES = ["core", "operator", "testing", "local", "client"] as const;
const TEMPLATE = join(ROOT, "templates/app");
/** What every app has as it is here. */
const COPIED: readonly (readonly [from: string, to: string])[] = [
  ["functions", "functions"],
  ["infra", "infra"],
  [RUNBOOKS, RUNBOOKS],
  ["bicepconfig.json", "bicepconfig.json"],
  ["host.json", "host.json"],
  [".funcignore", ".funcignore"],
  ["shared/app.ts", "shared/app.ts"],
  ["cli/check-node.js", "tools/check-node.js"],
  ["cli/every-app", "tools/every-app"],
];
const TEMPLATES = { contracts: template.contracts, words: templatesWords };
const isTaken = (path: string) => !path.endsWith(".test.ts");
/** The sample has an agent that is asked over its queue, by a function of its own; the template has none. */
const withoutQueueFunctions = (text: string) => text.replaceAll(/"\w+QueueAgent":\d+,/g, "");
/** Who sends jobs to an app that was just made. */
const CLIENT = "client";
/** What npm takes as a package's name, without a scope. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,100}$/;

await runCommand(async () => {
  const options = { name: { type: "string" }, "no-install": { type: "boolean" } } as const;
  const { values, positionals } = readArguments(options, USAGE, "words");
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0)
    throw new UsageError("Name one folder, as in npm run new -- ../my-app");
  const target = resolve(folder);
  const name = String(values["name"] ?? basename(target));
  if (!NAME.test(name))
    throw new UsageError(`${name} is no name of a package (small letters, digits, - and _): give one with --name`);
  if (existsSync(target) && readdirSync(target).length > 0) throw new UsageError(`${target} is not empty`);
  if (!relative(ROOT, target).startsWith(".."))
    throw new UsageError(`${target} is in this repository: choose a folder outside`);

  console.log("Compiling the packages");
  build();
  await buildCommands();
  const isNew = !existsSync(target);
  makeFolder(join(target, "packages"));
  // Ctrl-C ends npm, and then this command with a sentence.
  process.on("SIGINT", () => undefined);
  const packed = orRemoved(target, isNew, () => {
    const made = packPackages(join(target, "packages"));
    writeApp(target, name, made);
    return made;
  });
  console.log(`${target}: functions, shared, infra, samples, tests and ${packed.size} packages`);
  if (!values["no-install"]) install(target);
  const steps = [
    `cd ${/\s/.test(folder) ? `"${folder}"` : folder}`,
    ...(values["no-install"] ? ["npm install"] : []),
    "npm start",
    "npm test",
  ];
  console.log(styleText("green", "\nNext:"));
  for (const step of steps) console.log(`  ${step}`);
  return 0;
});

/** Half an app would only be in the way of the next attempt. */
function orRemoved<T>(target: string, isNew: boolean, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    for (const entry of readdirSync(target)) rmSync(join(target, entry), { recursive: true, force: true });
    if (isNew) rmSync(target, { recursive: true, force: true });
    throw cause;
  }
}

/** Each package as a tarball in `folder`; its name → the file's. */
function packPackages(folder: string): ReadonlyMap<string, string> {
  return new Map(
    PACKAGES.map((part) => {
      const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
      const { status, stdout } = npm(args, join(ROOT, "packages", part), "pipe");
      const [made] = status === 0 ? (JSON.parse(stdout) as { name: string; filename: string }[]) : [];
      if (!made) throw new Error(`packages/${part} could not be packed`);
      return [made.name, made.filename];
    }),
  );
}

function writeApp(target: string, name: string, packed: ReadonlyMap<string, string>): void {
  cpSync(TEMPLATE, target, { recursive: true });
  for (const [from, to] of COPIED) {
    cpSync(join(ROOT, from), join(target, to), { recursive: true, filter: isTaken });
  }
  // npm leaves a file of this name out of what it packs.
  renameSync(join(target, "gitignore"), join(target, ".gitignore"));
  for (const file of ["README.md", "azure.yaml"]) edit(join(target, file), (text) => text.replaceAll("my-app", name));
  edit(join(target, "package.json"), (text) => json(withVersions(JSON.parse(text), name, packed)));
  edit(join(target, "infra/entities/service-bus.json"), (text) => json(withoutQueueAgents(JSON.parse(text))));
  writeFileSync(join(target, "local.settings.sample.json"), json({ IsEncrypted: false, Values: settings() }));
  edit(join(target, "azure.yaml"), (text) => text + pipelineIn(readFileSync(join(ROOT, "azure.yaml"), "utf8")));
  edit(join(target, "infra/choices/production.env"), withoutQueueFunctions);
  edit(join(target, RUNBOOKS), (text) => runbooksInWords(runbooksOfAnyApp(text), samplesWords, templatesWords));
  // Whoever sends jobs: the sample's is a shop.
  const { client } = JSON.parse(readFileSync(join(target, WORDS), "utf8")) as { readonly client: string };
  for (const file of [WORDS, "infra/entities/service-bus.json"])
    edit(join(target, file), (text) =>
      text.replaceAll(`"${client}"`, `"${CLIENT}"`).replaceAll(`"replies-${client}`, `"replies-${CLIENT}`),
    );
  for (const file of NAMED) edit(join(target, file), (text) => namedFile(TEMPLATES, file, text));
  for (const [file, write] of Object.entries(GENERATED)) {
    const path = join(target, file);
    if (existsSync(path)) edit(path, (text) => write(text, template.serviceAgents));
  }
}

/** What `azd pipeline config` hands to a pipeline: all choices. */
function pipelineIn(text: string): string {
  const at = text.indexOf("pipeline:\n");
  if (at < 0) throw new Error("azure.yaml has no pipeline");
  return text.slice(at);
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The libraries in the versions that are proven here, and the packages as they were packed. */
function withVersions(template: Manifest, name: string, packed: ReadonlyMap<string, string>): object {
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  const known = { ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies };
  const versions = (of: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.keys(of).map((library) => {
        const file = packed.get(library);
        const version = file === undefined ? known[library] : `file:packages/${file}`;
        if (version === undefined) throw new Error(`package.json has no version of ${library}`);
        return [library, version];
      }),
    );
  const { dependencies, devDependencies, optionalDependencies, ...rest } = template;
  return {
    ...{ ...rest, name, dependencies: versions(dependencies), devDependencies: versions(devDependencies) },
    optionalDependencies: versions(optionalDependencies),
  };
}

/** The template's agents are asked by calls, and end at once. */
function withoutQueueAgents(entities: { readonly queues: readonly { readonly name: string }[] }): object {
  const replies = sample.localAgents.map((agent) => agent.replies?.queue);
  const isKept = ({ name }: { readonly name: string }) =>
    !name.startsWith("agent-requests-") && !replies.includes(name);
  return { ...entities, queues: entities.queues.filter(isKept) };
}

/** The sample's settings, with the template's services in the place of the sample's own. */
function settings(): Record<string, string> {
  const foreign = new Set(sample.serviceAgents.map(({ service }) => service.setting));
  const kept = Object.entries(sampleSettings()).filter(([setting]) => !foreign.has(setting));
  const own = template.serviceAgents.map(({ service }) => [service.setting, service.local]);
  return Object.fromEntries([...kept, ...own]);
}

function install(target: string): void {
  console.log("Installing the libraries");
  const args = ["install", "--no-audit", "--no-fund", ...(hasRegistry() ? [] : ["--offline"])];
  const { status } = npm(args, target, "inherit");
  if (status !== 0)
    throw new Error(`The app is in ${target}, without all its libraries: run npm install there, with a network`);
}

function npm(args: readonly string[], cwd: string, stdout: "pipe" | "inherit") {
  return spawnSync(process.execPath, [npmFile(), ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", stdout, "inherit"],
  });
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
