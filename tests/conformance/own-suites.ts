// What the repository's own tests add: the recorded answers of Microsoft's host, and changed bytes on both wires.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { outcomeOf, type SuiteRun } from "./outcome.ts";
import { today, WORKPLACE } from "./sources.ts";

const ROOT = join(import.meta.dirname, "../..");
const vitest = join(createRequire(import.meta.url).resolve("vitest/package.json"), "../vitest.mjs");

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

export function runOwnSuite(suite: string, project: "usual" | "long", files: readonly string[]): SuiteRun {
  const report = join(WORKPLACE, "own.json");
  rmSync(report, { force: true });
  const args = [vitest, "run", "--project", project, ...files, "--reporter", "json", "--outputFile", report];
  spawnSync(process.execPath, args, { cwd: ROOT, stdio: "ignore" });
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const tests = testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ fullName, failureMessages }) => ({
        file: files.join(", "),
        name: fullName,
        ...outcomeOf(failureMessages?.[0]),
      })),
  );
  return { suite, on: today(), versions: {}, tests };
}
