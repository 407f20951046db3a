// Runs the suite of a JavaScript SDK, file by file: one that never ends costs its own tests and no others.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { outcomeOf, type TestOutcome } from "../outcome.ts";

export interface JavaScriptSuite {
  /** The folder where its tests are laid out. */
  readonly place: string;
  /** The folder of the published SDK that stands for the sources beside the tests. */
  readonly sdk: string;
  readonly files: string;
  readonly without: readonly string[];
  /** Modules of this folder that are loaded before the tests. */
  readonly setup: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: "passed" | "failed" | "skipped" | "pending" | "todo";
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

const FILE_LIMIT_MS = 600_000;
const vitest = join(createRequire(import.meta.url).resolve("vitest/package.json"), "../vitest.mjs");
const config = join(import.meta.dirname, "vitest.config.ts");

export async function runSuite(suite: JavaScriptSuite, say: (line: string) => void): Promise<TestOutcome[]> {
  const files = globSync(suite.files, { cwd: suite.place }).sort();
  const wanted = files.filter((file) => !suite.without.some((name) => file.endsWith(name)));
  const all: TestOutcome[] = [];
  for (const file of wanted) {
    const began = performance.now();
    const outcomes = await runFile(suite, file);
    const passed = outcomes.filter(({ outcome }) => outcome === "passed").length;
    say(`${file}: ${passed} of ${outcomes.length} in ${Math.round((performance.now() - began) / 1000)} s`);
    all.push(...outcomes);
  }
  return all;
}

async function runFile(suite: JavaScriptSuite, file: string): Promise<TestOutcome[]> {
  const report = join(suite.place, "report.json");
  rmSync(report, { force: true });
  const args = [vitest, "run", "--config", config, "--reporter", "json", "--outputFile", report];
  const child = spawn(process.execPath, args, {
    stdio: "ignore",
    detached: true,
    env: {
      ...process.env,
      ...suite.environment,
      SUITE: suite.place,
      SDK: suite.sdk,
      FILES: file,
      SETUP: suite.setup.join(),
    },
  });
  // The whole group, for it is a worker of vitest's that hangs.
  const limit = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), FILE_LIMIT_MS);
  await once(child, "exit");
  clearTimeout(limit);
  const name = file.replace(/^test\//, "");
  try {
    // No result names a folder of this machine.
    const said = readFileSync(report, "utf8").replaceAll(`${suite.place}/`, "");
    return outcomesOf(name, JSON.parse(said) as Report);
  } catch {
    return [{ file: name, name: "the whole file", outcome: "failed", error: `no end in ${FILE_LIMIT_MS / 1000} s` }];
  }
}

function outcomesOf(file: string, { testResults }: Report): TestOutcome[] {
  return testResults.flatMap(({ message, assertionResults }) => {
    if (assertionResults.length === 0) return [{ file, name: "the whole file", ...outcomeOf(message || "no tests") }];
    return assertionResults.map(({ fullName, status, failureMessages }) => {
      if (status === "passed") return { file, name: fullName, outcome: "passed" as const };
      if (status === "failed") return { file, name: fullName, ...outcomeOf(failureMessages?.[0] ?? message) };
      // A hook that fails leaves the tests after it undone, and its reason in the message of the file.
      return message
        ? { file, name: fullName, ...outcomeOf(message) }
        : { file, name: fullName, outcome: "skipped" as const };
    });
  });
}
