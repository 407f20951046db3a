// Compiles the app and the local stack into dist/, which is what runs: here, in the tests and in Azure.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");

/** @throws if the compiler finds faults; it has then printed them. */
export function build(): void {
  // What has no source any more must not run: the host loads all of dist/functions.
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json")], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the sources do not compile");
}

if (import.meta.main) build();
