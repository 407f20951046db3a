// Bicep's own compiler: restored by dotnet where that is, once, and run on a copy of infra/.
import { spawnSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declared, parse } from "./bicep.ts";
import type { Value } from "./bicep-functions.ts";

const root = join(import.meta.dirname, "../..");
const PROJECT = join(import.meta.dirname, "compiler");
const [, VERSION = ""] = /Version="\[([\d.]+)\]"/.exec(readFileSync(join(PROJECT, "compiler.csproj"), "utf8")) ?? [];
const CACHE = join(root, "node_modules/.cache/bicep");
const COMMAND = join(CACHE, "azure.bicep.commandline.linux-x64", VERSION, "tools/bicep");
/** Without it .NET wants libicu. */
const ENVIRONMENT = { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" };

export interface Answer {
  readonly status: number | null;
  /** Errors and warnings, a line each. */
  readonly diagnostics: readonly string[];
}

export interface Predicted {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly properties?: { readonly [name: string]: unknown };
}

export interface Snapshot extends Answer {
  /** What a deployment with these parameters would make; empty where it is rejected. */
  readonly resources: readonly Predicted[];
  readonly text: string;
}

interface Nested {
  readonly name: string;
  readonly dependsOn?: readonly string[];
  readonly properties: { readonly template: { readonly resources: Readonly<Record<string, unknown>> } };
}
/** As Bicep writes it, with symbolic names. */
export interface Template {
  readonly resources: Readonly<Record<string, Nested>>;
}

export interface Compiler {
  /** Whether the app registration is compiled too: its types come from a registry of Microsoft's. */
  readonly hasGraph: boolean;
  run(command: string, ...options: readonly string[]): Answer;
  /** Of main.bicep. */
  template(): Template;
  snapshot(parameters: Readonly<Record<string, Value>>): Snapshot;
  end(): void;
}

/** A sentence that says why there is none, where there is none. @throws where it has to be there: in CI. */
export async function openCompiler(): Promise<Compiler | string> {
  const absent = restore();
  if (absent !== undefined && process.env["CI"]) throw new Error(absent);
  return absent ?? compilerIn(mkdtempSync(join(tmpdir(), "compiled-")), await reaches(graphHost()));
}

function restore(): string | undefined {
  if (existsSync(COMMAND)) return undefined;
  if (process.platform !== "linux" || process.arch !== "x64") return "Bicep's compiler is restored on Linux x64 only";
  const options = ["restore", PROJECT, "--packages", CACHE, `-p:BaseIntermediateOutputPath=${join(CACHE, "obj")}/`];
  const { error, status, stdout } = spawnSync("dotnet", options, { encoding: "utf8", env: ENVIRONMENT });
  if (error) return "there is no dotnet here, which restores Bicep's compiler; CI has it";
  if (status !== 0) return `dotnet could not restore Bicep's compiler: ${stdout.trim().split("\n").at(-1)}`;
  chmodSync(COMMAND, 0o755);
  return undefined;
}

function graphHost(): string {
  const { extensions } = JSON.parse(readFileSync(join(root, "bicepconfig.json"), "utf8"));
  return /^br:([^/]+)\//.exec(extensions.microsoftGraphV1)?.[1] ?? "";
}

function reaches(host: string): Promise<boolean> {
  return lookup(host).then(
    () => true,
    () => false,
  );
}

function compilerIn(folder: string, hasGraph: boolean): Compiler {
  cpSync(join(root, "infra"), join(folder, "infra"), { recursive: true });
  cpSync(join(root, "bicepconfig.json"), join(folder, "bicepconfig.json"));
  if (!hasGraph) withoutGraph(folder);
  const run = (command: string, ...options: readonly string[]): Answer => {
    const given = { cwd: folder, encoding: "utf8", env: ENVIRONMENT } as const;
    const { status, stderr } = spawnSync(COMMAND, [command, ...options], given);
    const lines = stderr.split("\n").map((line) => line.trim());
    return { status, diagnostics: lines.filter((line) => line !== "" && !/^Snapshot generation/.test(line)) };
  };
  const template = (): Template => {
    const file = join(folder, "main.json");
    if (!existsSync(file)) run("build", "infra/main.bicep", "--outfile", file);
    return JSON.parse(readFileSync(file, "utf8")) as Template;
  };
  return {
    hasGraph,
    run,
    template,
    snapshot(parameters) {
      template();
      const given = Object.entries(parameters).map(([name, value]) => `param ${name} = ${literalOf(value)}`);
      writeFileSync(join(folder, "one.bicepparam"), [`using 'main.json'`, ...given].join("\n"));
      const made = join(folder, "one.snapshot.json");
      rmSync(made, { force: true });
      const where = ["--subscription-id", NOBODYS, "--tenant-id", NOBODYS, "--location", "westus3"];
      const answer = run("snapshot", "one.bicepparam", "--mode", "overwrite", ...where);
      const text = existsSync(made) ? readFileSync(made, "utf8") : "{}";
      return { ...answer, text, resources: JSON.parse(text).predictedResources ?? [] };
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const NOBODYS = "00000000-0000-0000-0000-00000000005b";

/** In the place of the module with the app registration one that takes and gives the same. */
function withoutGraph(folder: string): void {
  const file = join(folder, "infra/app/sign-in.bicep");
  const { params, outputs } = declared(parse(readFileSync(file, "utf8")));
  const all = params.map(({ name }) => `\${${name}}`).join("");
  const lines = [
    ...params.map(({ name }) => `param ${name} string`),
    ...outputs.map((name) => `output ${name} string = '${all}'`),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const config = join(folder, "bicepconfig.json");
  const { extensions: _, ...rest } = JSON.parse(readFileSync(config, "utf8"));
  writeFileSync(config, JSON.stringify(rest));
}

/** Bicep's text for a value. */
function literalOf(value: Value): string {
  return `json('${JSON.stringify(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("${", "\\${")}')`;
}
