// Some of what is here is a package of its own, which the repository's npm ci leaves out: who needs it installs it, once.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasRegistry, npmFile } from "./npm.ts";

/**
 * @param folder that of its package.json
 * @param what it brings, for whoever waits
 * @returns whether it is installed: without a network it is not
 */
export function installApart(folder: string, what: string): boolean {
  /** Written last: an install that was cut off begins again. */
  const installed = join(folder, "node_modules/.installed");
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return true;
  console.log(`Installing ${what}, once`);
  const where = hasRegistry() ? [] : ["--offline"];
  const args = [npmFile(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", ...where];
  const { status } = spawnSync(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) return false;
  writeFileSync(installed, lock);
  return true;
}
