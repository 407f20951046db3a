import { defaultServerConditions } from "vite";
import { configDefaults, defineConfig } from "vitest/config";

/** Suites that take minutes: every state, every crash, every message. `npm run test:long`. */
const LONG = [
  "tests/{model,faults,input,chaos,load,outages,package}/**/*.test.ts",
  "{packages,tests}/**/*.long.test.ts",
];

// "module" is for bundlers: Node could not load what it leads to.
const SOURCES = ["sources", ...defaultServerConditions.filter((name) => name !== "module")];

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  // The packages' sources; what a test starts as a process runs compiled.
  resolve: { conditions: SOURCES },
  ssr: { resolve: { conditions: SOURCES } },
  test: {
    globalSetup: ["tests/support/compiled.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    fileParallelism: true,
    // They wait for times that run out: two at a time used less than one of two cores.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "usual",
          include: ["{packages,shared,functions,cli,console,tests,bench}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...LONG],
        },
      },
      { extends: true, test: { name: "long", include: LONG } },
    ],
  },
});
