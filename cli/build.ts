// Compiles the app and the local stack, with the console, into dist/, which is what runs: here, in the tests and in Azure.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { placeConsole } from "./build-console.ts";

const root = join(import.meta.dirname, "..");

const dist = join(root, "dist");

/**
 * Compiles beside dist/ and then takes its place, so that what runs from there finds all of one version, and what has no
 * source any more is gone: the host loads everything in dist/functions. Where nothing has changed dist/ stays untouched.
 * @throws if the compiler finds faults; it has then printed them.
 */
export function build(): void {
  const made = join(root, `.dist-${process.pid}`);
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const args = [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", made];
  try {
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) throw new Error("the sources do not compile");
    placeConsole(join(made, "console"));
    if (!isSame(made, dist)) replaceDist(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Two renames: deleting takes so long that whoever starts meanwhile would miss files. */
function replaceDist(made: string): void {
  const old = `${made}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
}

function isSame(made: string, other: string): boolean {
  const [files, others] = [filesIn(made), filesIn(other)];
  return (
    files.join() === others.join() &&
    files.every((file) => readFileSync(join(made, file)).equals(readFileSync(join(other, file))))
  );
}

function filesIn(folder: string): string[] {
  return globSync("**/*.*", { cwd: folder }).sort();
}

if (import.meta.main) build();
