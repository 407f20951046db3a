// What builds the site is a package of its own, docs/package.json: the first npm ci leaves it out, and `npm run docs` installs it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmFile } from "../npm.ts";
import { DOCS } from "./pages.ts";

const LOCK = join(DOCS, "package-lock.json");
/** Written last: an install that was cut off begins again. */
const INSTALLED = join(DOCS, "node_modules/.installed");

/** @throws if it can't be installed, as without a network */
export function installSite(): void {
  const lock = readFileSync(LOCK, "utf8");
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, "utf8") === lock) return;
  console.log("Installing what builds the site, once: docs/package.json");
  const { status } = spawnSync(process.execPath, [npmFile(), "ci", "--ignore-scripts"], {
    cwd: DOCS,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0)
    throw new Error("The site's packages could not be installed: run npm run docs again with a network");
  writeFileSync(INSTALLED, lock);
}
