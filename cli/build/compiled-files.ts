// Whether what stands in each dist/ was made from the sources as they are: compiling takes seconds, comparing a fraction of one.
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** All files below a root that decide what is compiled, and all that came of it; patterns of glob. */
export interface CompiledFiles {
  readonly root: string;
  readonly sources: readonly string[];
  readonly results: readonly string[];
  /** Where the last build left its fingerprint. */
  readonly stamp: string;
}

/**
 * Runs `compile` unless sources and results are, by name and content, those of the last build. Written last, and of the sources as they
 * were before: after a build that broke off, or while which a source changed, the next one compiles again.
 * @throws what `compile` throws
 */
export function compileIfChanged(files: CompiledFiles, compile: () => void): void {
  const sources = fingerprintOf(files.root, files.sources);
  const stamp = () => `${sources} ${fingerprintOf(files.root, files.results)}`;
  if (readIfThere(files.stamp) === stamp()) return;
  compile();
  mkdirSync(dirname(files.stamp), { recursive: true });
  const whole = `${files.stamp}-${process.pid}`;
  writeFileSync(whole, stamp());
  renameSync(whole, files.stamp);
}

function fingerprintOf(root: string, patterns: readonly string[]): string {
  const hash = createHash("sha256").update(process.version);
  for (const file of globSync(patterns, { cwd: root }).sort()) {
    if (!statSync(join(root, file)).isFile()) continue;
    hash.update(file).update(
      createHash("sha256")
        .update(readFileSync(join(root, file)))
        .digest(),
    );
  }
  return hash.digest("hex");
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
