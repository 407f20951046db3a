// Compiles the app and the local stack into dist/, which is what runs: here, in the tests and in Azure.
import { spawnSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");

/**
 * Compiles beside dist/ and then takes its place, so that what runs from there finds all of one version, and what has no
 * source any more is gone: the host loads everything in dist/functions.
 * @throws if the compiler finds faults; it has then printed them.
 */
export function build(): void {
  const made = join(root, `.dist-${process.pid}`);
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const args = [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", made];
  try {
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) throw new Error("the sources do not compile");
    rmSync(join(root, "dist"), { recursive: true, force: true });
    renameSync(made, join(root, "dist"));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

if (import.meta.main) build();
