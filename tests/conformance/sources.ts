// The suites' sources: repositories that whoever runs this has cloned into one folder. Nothing of them is in this repository.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where suites are laid out to run: beside node_modules, whose packages they find. */
export const WORKPLACE = join(import.meta.dirname, "../../.conformance");

export interface Source {
  /** The folder's name, which is the repository's. */
  readonly repository: "azure-sdk-for-js" | "azure-functions-durable-js";
  /** The folder inside of it, and what of that is wanted. */
  readonly folder: string;
  readonly paths: readonly string[];
}

/** The commit that lies in `sources`, or what is missing. */
export function findCommit(sources: string, { repository }: Source): { commit: string } | { missing: string } {
  const clone = join(sources, repository);
  if (!existsSync(clone)) return { missing: `${clone} (a clone of Azure/${repository})` };
  return { commit: git(clone, ["log", "-1", "--format=%h of %as"]).trim() };
}

/** Lays the files of a source out, in the place of what an earlier run left there. */
export function layOut(sources: string, { repository, folder, paths }: Source, place: string): string {
  const target = join(WORKPLACE, place);
  for (const path of paths) rmSync(join(target, path), { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const clone = join(sources, repository);
  const archive = spawnSync("git", ["-C", clone, "archive", `HEAD:${folder}`, ...paths], { maxBuffer: 2 ** 28 });
  if (archive.status !== 0) throw new Error(`git archive of ${folder}: ${archive.stderr.toString()}`);
  execFileSync("tar", ["-x", "-C", target], { input: archive.stdout });
  return target;
}

/** What a suite needs beside the packages of this repository, for it alone. */
export function install(place: string, packages: readonly string[]): void {
  const quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", ["install", ...quiet, ...packages], { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function git(clone: string, args: readonly string[]): string {
  return execFileSync("git", ["-C", clone, ...args], { encoding: "utf8" });
}
