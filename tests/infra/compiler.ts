// Bicep's own compiler, asked by JSON-RPC about a copy of infra/. One process answers all: to start it takes longer than to compile.
import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { answered } from "./answered.ts";
import { declared } from "./bicep.ts";
import { COMMAND, ENVIRONMENT, restore } from "./restore-compiler.ts";

const root = join(import.meta.dirname, "../..");

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };
/** What is read in the place of files of these paths' ends. */
export type Files = { readonly [pathEnd: string]: string };

interface Answer {
  readonly isDone: boolean;
  /** Errors and warnings, a line each. */
  readonly diagnostics: readonly string[];
}

export interface Predicted {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly [member: string]: Value;
}

interface Snapshot extends Answer {
  /** What a deployment with these parameters would make; empty where it is rejected. */
  readonly resources: readonly Predicted[];
  readonly outputs: { readonly [name: string]: Value };
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

type Parameters = Readonly<Record<string, Value>>;

export interface Compiler {
  /** Whether the app registration is compiled too: its types come from a registry of Microsoft's. */
  readonly hasGraph: boolean;
  /** @param file a template or its parameters, from the root */
  build(file: string): Promise<Answer>;
  /** Of main.bicep. */
  template(): Promise<Template>;
  /** What is known before a deployment: what Azure will answer stands in it as an expression. */
  snapshot(parameters: Parameters): Promise<Snapshot>;
  /** With the answers of answered.ts. */
  answered(parameters: Parameters, files: Files): Promise<Snapshot>;
  end(): void;
}

interface Diagnostic {
  readonly source: string;
  readonly range: { readonly start: { readonly line: number; readonly char: number } };
  readonly level: string;
  readonly code: string;
  readonly message: string;
}

interface Compiled {
  readonly success: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly contents?: string | null;
}

/**
 * A sentence that says why there is none, where there is none. @throws where it has to be there: in CI.
 * @param app the folder of the app whose infra/ is compiled: this repository's
 */
export async function openCompiler(app = root): Promise<Compiler | string> {
  const absent = restore();
  if (absent !== undefined && process.env["CI"]) throw new Error(absent);
  return absent ?? compilerIn(app, mkdtempSync(join(tmpdir(), "compiled-")), await reaches(graphHost()));
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

function compilerIn(app: string, folder: string, hasGraph: boolean): Compiler {
  const own = copied(app, join(folder, "own"));
  if (!hasGraph) withoutGraph(own);
  const { connection, end } = connect(folder);
  const templates = new Map<string, Promise<Template>>();
  const templateIn = (copy: string) => {
    const built = templates.get(copy) ?? templateOf(connection, copy);
    templates.set(copy, built);
    return built;
  };
  /** By what is read in the place of files. */
  const copies = new Map<string, string>();
  const answeredWith = (files: Files) => {
    const key = JSON.stringify(files);
    const copy = copies.get(key) ?? answered(copied(app, join(folder, `answered-${copies.size}`)), files);
    copies.set(key, copy);
    return copy;
  };
  const snapshotOf = async (copy: string, parameters: Parameters) =>
    predicted(connection, copy, await templateIn(copy), parameters);
  return {
    hasGraph,
    async build(file) {
      const asked = file.endsWith(".bicepparam") ? "bicep/compileParams" : "bicep/compile";
      const given = { path: join(own, file), parameterOverrides: {} };
      const { success, diagnostics } = await connection.sendRequest<Compiled>(asked, given);
      return { isDone: success, diagnostics: diagnostics.map(lineOf) };
    },
    template: () => templateIn(own),
    snapshot: (parameters) => snapshotOf(own, parameters),
    answered: (parameters, files) => snapshotOf(answeredWith(files), parameters),
    end() {
      end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function copied(app: string, folder: string): string {
  cpSync(join(app, "infra"), join(folder, "infra"), { recursive: true });
  cpSync(join(app, "bicepconfig.json"), join(folder, "bicepconfig.json"));
  return folder;
}

async function predicted(
  connection: MessageConnection,
  folder: string,
  template: Template,
  parameters: Parameters,
): Promise<Snapshot> {
  writeFileSync(join(folder, "main.json"), JSON.stringify(template));
  const given = Object.entries(parameters).map(([name, value]) => `param ${name} = ${literalOf(value)}`);
  const path = join(folder, "one.bicepparam");
  writeFileSync(path, [`using 'main.json'`, ...given].join("\n"));
  try {
    const { snapshot } = await connection.sendRequest<{ snapshot: string }>("bicep/getSnapshot", {
      path,
      metadata: { tenantId: NOBODYS, subscriptionId: NOBODYS, location: "westus3", deploymentName: "main" },
    });
    const { predictedResources, outputs, diagnostics } = JSON.parse(snapshot);
    return { isDone: true, diagnostics, text: snapshot, resources: predictedResources, outputs };
  } catch (cause) {
    return { isDone: false, diagnostics: [String(cause)], text: "", resources: [], outputs: {} };
  }
}

const lineOf = ({ source, range: { start }, level, code, message }: Diagnostic) =>
  `${source}(${start.line + 1},${start.char + 1}): ${level} ${code}: ${message}`;

async function templateOf(connection: MessageConnection, folder: string): Promise<Template> {
  const path = join(folder, "infra/main.bicep");
  const { contents, diagnostics } = await connection.sendRequest<Compiled>("bicep/compile", { path });
  if (!contents) throw new Error(diagnostics.map(lineOf).join("\n"));
  return JSON.parse(contents) as Template;
}

function connect(cwd: string): { readonly connection: MessageConnection; readonly end: () => void } {
  const child = spawn(COMMAND, ["jsonrpc", "--stdio"], { cwd, env: ENVIRONMENT, stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  return {
    connection,
    end() {
      connection.dispose();
      child.kill();
    },
  };
}

const NOBODYS = "00000000-0000-0000-0000-00000000005b";

/** In the place of the module with the app registration one that takes and gives the same. */
function withoutGraph(folder: string): void {
  const file = join(folder, "infra/app/sign-in.bicep");
  const { params, outputs } = declared(readFileSync(file, "utf8"));
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
