// The files that describe what the parts hold: queues, containers and remote services.
import { access, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readNotes } from "../notes.ts";
import { inWords } from "../thrown.ts";
import type { PartName } from "./parts.ts";
import type { ServicesArguments } from "./services-arguments.ts";

/** The parsed files. A part whose file is absent starts empty; remotes cannot. */
export interface Entities {
  readonly queues?: Record<string, unknown>;
  readonly cosmosResources?: Record<string, unknown>;
  readonly remotes?: Record<string, unknown>;
}

interface EntityFile {
  readonly entity: keyof Entities;
  readonly part: PartName;
  readonly option: string;
  /** Looked for in the current package: the first that is there. */
  readonly usual: readonly string[];
  /** What it has in any case. */
  readonly list: string;
  /** What else may be there; absent: whoever reads it looks itself. */
  readonly others?: readonly string[];
}

const FILES: readonly EntityFile[] = [
  {
    entity: "queues",
    part: "bus",
    option: "--queues",
    usual: ["infra/entities/service-bus.json"],
    list: "queues",
    others: [],
  },
  {
    entity: "cosmosResources",
    part: "cosmos",
    option: "--cosmos-resources",
    usual: ["infra/entities/cosmos.json"],
    list: "containers",
    others: ["database"],
  },
  {
    entity: "remotes",
    part: "remotes",
    option: "--remotes",
    usual: ["samples/remotes.ts", "samples/remotes.json"],
    list: "services",
  },
];

/** Reads the files of the parts to start. A file that was named has to be there; a usual one may be absent. */
export async function readEntities(wanted: ServicesArguments): Promise<{ entities: Entities; faults: string[] }> {
  const entities: Record<string, Record<string, unknown>> = {};
  const faults: string[] = [];
  for (const { entity, part, option, usual, list, others } of FILES) {
    if (!wanted.parts.includes(part)) continue;
    const chosen = wanted[entity];
    const { path, read } = await firstOf(chosen === undefined ? usual : [chosen]);
    if (read.kind === "absent" && chosen === undefined) continue;
    if (read.kind === "absent") faults.push(`${option}: there is no file ${path}`);
    else if (read.kind === "invalid") faults.push(`${option}: ${path} cannot be read: ${read.reason}`);
    else if (!hasList(read.value, list)) faults.push(`${option}: ${path} has to be an object with a list "${list}"`);
    else {
      const notes = readNotes(read.value["notes"]);
      const known = others && [list, ...others, "notes", ...(typeof notes === "string" ? [] : notes)];
      const unknown = Object.keys(read.value).filter((member) => known?.includes(member) === false);
      for (const member of unknown) faults.push(`${option}: ${path} has a member "${member}", which nobody reads`);
      entities[entity] = read.value;
    }
  }
  if (wanted.named && wanted.parts.includes("remotes") && !entities["remotes"] && faults.length === 0) {
    faults.push("remotes: there is no samples/remotes.ts; name a file with --remotes FILE");
  }
  return { entities, faults };
}

type Read =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "absent" }
  | { readonly kind: "invalid"; readonly reason: string };

/** What is read of the first file that is there. */
async function firstOf(paths: readonly string[]): Promise<{ readonly path: string; readonly read: Read }> {
  let found: { readonly path: string; readonly read: Read } = { path: "", read: { kind: "absent" } };
  for (const path of paths) {
    found = { path, read: await (MODULE.test(path) ? readModule(path) : readJson(path)) };
    if (found.read.kind !== "absent") break;
  }
  return found;
}

/** What has functions is a module that exports the list. */
const MODULE = /\.[cm]?[jt]s$/;

async function readModule(path: string): Promise<Read> {
  const file = resolve(path);
  try {
    await access(file);
  } catch {
    return { kind: "absent" };
  }
  try {
    return { kind: "read", value: { ...((await import(pathToFileURL(file).href)) as object) } };
  } catch (cause) {
    return { kind: "invalid", reason: inWords(cause) };
  }
}

async function readJson(path: string): Promise<Read> {
  try {
    return { kind: "read", value: JSON.parse(await readFile(path, "utf8")) as unknown };
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return { kind: "absent" };
    return { kind: "invalid", reason: inWords(cause) };
  }
}

function hasList(value: unknown, list: string): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Array.isArray((value as Record<string, unknown>)[list]);
}
