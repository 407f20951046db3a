// What the app in Azure runs on, by small lock files.
import { expect, test } from "vitest";
import { productionPlaces } from "./production.ts";

const LOCK = {
  packages: {
    "": {
      dependencies: { core: "1.0.0", web: "1.0.0" },
      devDependencies: { local: "1.0.0", tests: "1.0.0" },
      optionalDependencies: { runtime: "1.0.0" },
    },
    "node_modules/runtime": { version: "1.0.0" },
    "node_modules/core": { link: true, resolved: "packages/core" },
    "node_modules/local": { link: true, resolved: "packages/local" },
    "packages/core": { dependencies: { deep: "2.0.0" }, optionalDependencies: { maybe: "1.0.0" } },
    "packages/core/node_modules/deep": { version: "2.0.0", peerDependencies: { web: "1.0.0" } },
    "packages/local": { dependencies: { emulator: "1.0.0" } },
    "node_modules/deep": { version: "1.0.0", dependencies: { "@scope/old": "1.0.0" } },
    "node_modules/@scope/old": { version: "1.0.0" },
    "node_modules/emulator": { version: "1.0.0" },
    "node_modules/tests": { version: "1.0.0" },
    "node_modules/web": { version: "1.0.0", dependencies: { "@scope/inner": "1.0.0", deep: "1.0.0" } },
    "node_modules/web/node_modules/@scope/inner": { version: "1.0.0" },
  },
};

test("it is what the app's own dependencies lead to, and nothing that only another package of the repository needs", () => {
  expect([...productionPlaces(LOCK)].sort()).toEqual([
    "node_modules/@scope/old",
    "node_modules/deep",
    "node_modules/web",
    "node_modules/web/node_modules/@scope/inner",
    "packages/core",
    "packages/core/node_modules/deep",
  ]);
});
