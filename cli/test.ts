// `npm test` and its kin: which checks and suites each runs, one after the other. Whatever else stands on the command line is vitest's.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "./build.ts";
import { installApart } from "./common/install-apart.ts";
import { columnsFor, fitted } from "./every-app/wrapped.ts";

/** Not by settings.ts: nothing is compiled yet when this begins. */
const ROOT = join(import.meta.dirname, "..");

interface Suite {
  readonly about: string;
  /** Linter, types and unused code come first. */
  readonly checked?: true;
  readonly inABrowser?: true;
  readonly vitest: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const USUAL: Suite = {
  about: "linter, types, unused code, unit tests, and tests on the local stack: about 25 minutes on two cores",
  checked: true,
  inABrowser: true,
  vitest: ["--project", "usual", "--project", "units"],
};

/** By the word that asks for it. */
const SUITES: Readonly<Record<string, Suite>> = {
  quick: {
    about: "linter, types, unused code, and the unit tests of the packages: about three minutes",
    checked: true,
    vitest: ["--project", "units"],
  },
  long: {
    about:
      "the suites that take minutes, every state, every crash, every message, and all that start a stack, as strict as Azure: about 55 minutes, and a third of it with --shard=1/3",
    inABrowser: true,
    vitest: ["--project", "long", "--project", "azure"],
  },
  azure: {
    about: "the suites that start a local stack, on one that is as strict as Azure: about fifteen minutes",
    inABrowser: true,
    vitest: ["--project", "azure"],
  },
  flex: {
    about: "crashes and chaos with a process for each group of functions",
    vitest: ["--project", "long", "tests/faults/crash", "tests/chaos"],
    env: { TOPOLOGY: "flex" },
  },
  faults: {
    about: "kills the host at every await, also at those that only a recovery reaches: about an hour",
    vitest: ["--project", "long", "tests/faults"],
    env: { FAULTS: "all" },
  },
};

const USAGE = [
  "npm test [-- FILES AND OPTIONS OF VITEST]",
  `  ${USUAL.about}`,
  `npm test -- ${Object.keys(SUITES).join("|")} [OPTIONS OF VITEST]`,
  ...Object.entries(SUITES).map(([name, { about }]) => `  ${name.padEnd(6)}  ${about}`),
].join("\n");

const [first = "", ...others] = process.argv.slice(2);
const suite = SUITES[first];
const rest = suite ? others : process.argv.slice(2);
if (rest.includes("--help") || rest.includes("-h")) console.log(fitted(USAGE, columnsFor(process.stdout)));
else process.exitCode = run(suite ?? USUAL);

function run({ checked, inABrowser, vitest, env }: Suite): number {
  // A browser for the console's tests; without a network they are left out, and vitest says so.
  if (inABrowser && process.platform === "linux" && process.arch === "x64" && !process.env["CHROME_PATH"])
    installApart(join(ROOT, "tests/browser"), "a browser for the console's tests (tests/browser/package.json)");
  if (checked) {
    // npm's own file, because on Windows its command is a script that cannot be run without a shell.
    const npm = process.env["npm_execpath"];
    if (!npm) throw new Error("Start this by npm: npm test");
    const status = node([npm, "run", "check"]);
    if (status !== 0) return status;
  }
  build();
  const bin = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  return node([bin, "run", ...vitest, ...rest], env);
}

function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const { status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}
