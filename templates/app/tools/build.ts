// Compiles the app into dist/, which is what the Functions host loads.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readArguments, runCommand } from "./every-app/arguments.ts";

export const ROOT = join(import.meta.dirname, "..");

/** @throws if the compiler finds faults; it has then printed them */
export function build(): void {
  rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", join(ROOT, "tsconfig.build.json")], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the sources do not compile");
}

if (import.meta.main)
  await runCommand(async () => {
    readArguments({}, "npm run build\n  compiles the app into dist/");
    build();
    return 0;
  });
