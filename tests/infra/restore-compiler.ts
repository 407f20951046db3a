// Bicep's own compiler: restored by dotnet where that is, once.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const PROJECT = join(import.meta.dirname, "compiler");
const [, VERSION = ""] = /Version="\[([\d.]+)\]"/.exec(readFileSync(join(PROJECT, "compiler.csproj"), "utf8")) ?? [];
const CACHE = join(root, "node_modules/.cache/bicep");
const PACKAGE = join("azure.bicep.commandline.linux-x64", VERSION);
export const COMMAND = join(CACHE, PACKAGE, "tools/bicep");
/** Without it .NET wants libicu. */
export const ENVIRONMENT = { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" };

/** @returns a sentence that says why there is none, where it can't be had */
export function restore(): string | undefined {
  if (existsSync(COMMAND)) return undefined;
  if (process.platform !== "linux" || process.arch !== "x64") return "Bicep's compiler is restored on Linux x64 only";
  // Beside: several files may find it missing at once, and what one sees is whole.
  const beside = `${CACHE}-${process.pid}`;
  const options = ["restore", PROJECT, "--packages", beside, `-p:BaseIntermediateOutputPath=${join(beside, "obj")}/`];
  const { error, status, stdout } = spawnSync("dotnet", options, { encoding: "utf8", env: ENVIRONMENT });
  if (error) return "there is no dotnet here, which restores Bicep's compiler; CI has it";
  if (status !== 0) return `dotnet could not restore Bicep's compiler: ${stdout.trim().split("\n").at(-1)}`;
  chmodSync(join(beside, PACKAGE, "tools/bicep"), 0o755);
  mkdirSync(dirname(join(CACHE, PACKAGE)), { recursive: true });
  if (!existsSync(COMMAND)) renameSync(join(beside, PACKAGE), join(CACHE, PACKAGE));
  rmSync(beside, { recursive: true });
  return undefined;
}
