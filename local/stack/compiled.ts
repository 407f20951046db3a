// For tests of processes, which run compiled modules: compiles what is older than its source.
import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const PROOF = join(ROOT, "dist", "local", "services.js");

export function compileIfStale(): void {
  const sources = globSync("local/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] });
  const newest = Math.max(...sources.map((source) => changedAt(join(ROOT, source))));
  if (changedAt(PROOF) > newest) return;
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (changedAt(PROOF) <= newest) throw new Error(`Nothing was compiled: ${stdout}`);
}

/** 0 for a file that is not there. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
