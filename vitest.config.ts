import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultServerConditions } from "vite";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findBrowser, NO_BROWSER } from "./tests/console/find-browser.ts";

/** Suites that take minutes: every state, every crash, every message. `npm test -- long`. */
const LONG = [
  "{packages/testing/,}tests/model/*.test.ts",
  "tests/{faults,input,chaos,load,outages,engine-loss,package}/**/*.test.ts",
  "{packages,tests}/**/*.long.test.ts",
];

/** The loan's own tests, which run in the app that loan-app.test.ts makes. */
const OF_ANOTHER_APP = "tests/package/loan/tests/**";

/** Suites that start a stack run on one that is as strict as Azure too (`npm test -- azure`), and those that take minutes on that one alone. */
const ON_A_STACK = /start(Test|Faulty|Metered)Stack/;

/** It counts what an order takes where no read is stale. */
const NOT_LIKE_AZURE = ["tests/stack/order-counts.test.ts"];

/**
 * What takes longest begins first: begun last it would run alone, and the others' cores would wait for it. What starts many processes stands beside
 * what is one.
 */
const LONGEST = [
  "tests/model/worlds.test.ts",
  "tests/faults/crash/crash-points.test.ts",
  "tests/console/eight-failures.long.test.ts",
  "tests/console/no-answer.long.test.ts",
  "tests/console/every-trouble.long.test.ts",
  "tests/console/platform-trouble.long.test.ts",
  "tests/outages/outages.test.ts",
  "tests/package/new-app.test.ts",
  "tests/package/loan-app.test.ts",
  "tests/engine-loss/engine-loss.test.ts",
  "tests/chaos/chaos.test.ts",
  "tests/faults/network.test.ts",
  "tests/stack/flex.long.test.ts",
  "tests/stack/commands-flex.long.test.ts",
  "tests/package/adapting.test.ts",
  "tests/load/overload.test.ts",
  "tests/console/large-store.long.test.ts",
  "tests/faults/regions.test.ts",
  "packages/testing/tests/model/reduction.test.ts",
  "tests/package/second-business.test.ts",
  "tests/load/load.test.ts",
  "tests/console/many-orders.long.test.ts",
  "tests/stack/drain.long.test.ts",
  "tests/input/bad-input.test.ts",
  "tests/stack/commands.test.ts",
  "tests/console/stories.test.ts",
  "tests/console/never-falsely-green.test.ts",
  "tests/stack/held-up-agent.test.ts",
];

/**
 * The unit tests of the core, the desk and the test kit start nothing and keep nothing between them: the files of one worker share its process and its modules,
 * where a process for each would load the core a hundred times. Those of telemetry start what a process has once.
 */
const UNITS = ["packages/{core,operator,testing}/{src,tests/!(telemetry)}/**/*.test.ts"];

/** Left out where there is no browser. */
const IN_A_BROWSER = /openBrowser|shownByConsole|every-view|no-data-stories|namedOneByOne/;

const filesWith = (words: RegExp): string[] =>
  globSync("tests/**/*.test.ts").filter((file) => words.test(readFileSync(file, "utf8")));

function withoutBrowser(): string[] {
  if (findBrowser() !== undefined) return [];
  const files = filesWith(IN_A_BROWSER);
  console.warn(`${NO_BROWSER}. Left out: ${files.join(", ")}`);
  return files;
}

const LEFT_OUT = withoutBrowser();

class LongestFirst extends BaseSequencer {
  /** With `--shard`: dealt out to and fro, the longest first, so that each part takes about as long as the others. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index = 1, count = 1 } = this.ctx.config.shard ?? {};
    const byName = [...files].sort((one, other) => one.moduleId.localeCompare(other.moduleId));
    const partOf = (at: number) => (Math.floor(at / count) % 2 === 0 ? at % count : count - 1 - (at % count));
    return this.#longestFirst(byName).filter((_, at) => partOf(at) === index - 1);
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return this.#longestFirst(await super.sort(files));
  }

  #longestFirst(files: readonly TestSpecification[]): TestSpecification[] {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return rank < 0 ? LONGEST.length : rank;
    };
    return [...files].sort((one, other) => rankOf(one) - rankOf(other));
  }
}

// "module" is for bundlers: Node could not load what it leads to.
export const SOURCES = ["sources", ...defaultServerConditions.filter((name) => name !== "module")];

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  // The packages' sources; what a test starts as a process runs compiled.
  resolve: { conditions: SOURCES },
  ssr: { resolve: { conditions: SOURCES } },
  test: {
    globalSetup: ["tests/support/compiled.ts", "tests/console/unpack-browser.ts"],
    // The processes that tests start find what the first of them compiled.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, ".local", "compiled") },
    // How long a test waits is no requirement: a machine that runs three suites on two cores takes many times what a quiet one does. What is to happen
    // within a time has that time in its test.
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
    fileParallelism: true,
    // They wait for times that run out: two at a time used less than one of two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "usual",
          include: ["{packages,shared,functions,cli,tests,bench}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...LONG, ...UNITS, ...LEFT_OUT],
        },
      },
      {
        extends: true,
        test: { name: "units", include: UNITS, exclude: [...configDefaults.exclude, ...LONG], isolate: false },
      },
      {
        extends: true,
        test: {
          name: "azure",
          include: filesWith(ON_A_STACK),
          exclude: [...configDefaults.exclude, ...LONG, ...LEFT_OUT, ...NOT_LIKE_AZURE],
          env: { LIKE_AZURE: "1" },
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          include: LONG,
          exclude: [...configDefaults.exclude, OF_ANOTHER_APP, ...LEFT_OUT],
          env: { LIKE_AZURE: "1" },
        },
      },
    ],
  },
});
