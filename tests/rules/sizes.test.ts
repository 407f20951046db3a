// Lines of each folder only fall: a change that needs more raises sizes.json in the same commit, and says why.
import { expect, test } from "vitest";
import { countedSizes, folderOf, lowered, recordedSizes, sizeFaults } from "./sizes.ts";

test("no folder has more lines than sizes.json says, and none has fewer", () => {
  expect(sizeFaults(recordedSizes(), countedSizes())).toEqual([]);
});

const WAS = { "packages/core/domain": { sources: 100, tests: 50 } };

test.each([
  ["grew", { sources: 101, tests: 50 }, ["packages/core/domain has 101 lines of sources"]],
  ["fell", { sources: 100, tests: 49 }, ["packages/core/domain has 49 lines of tests"]],
  ["is as recorded", { sources: 100, tests: 50 }, []],
])("a folder that %s is told", (_, size, begun) => {
  const faults = sizeFaults(WAS, { "packages/core/domain": size });
  expect(faults.map((fault) => fault.split(",")[0])).toEqual(begun);
});

test("a folder that is new is told, and so is one that has gone", () => {
  expect(
    sizeFaults(WAS, { "packages/core/domain": WAS["packages/core/domain"], extra: { sources: 1, tests: 0 } }),
  ).toHaveLength(1);
  expect(sizeFaults(WAS, {})).toHaveLength(2);
});

test("what is recorded anew only falls", () => {
  const counted = { "packages/core/domain": { sources: 90, tests: 60 }, extra: { sources: 5, tests: 0 } };
  expect(lowered(WAS, counted)).toEqual({ "packages/core/domain": { sources: 90, tests: 50 } });
});

test.each([
  ["vitest.config.ts", "(root)"],
  ["cli/start/parts.ts", "cli"],
  ["tests/rules/links.test.ts", "tests/rules"],
  ["packages/core/src/domain/steps/ending.ts", "packages/core/domain"],
  ["packages/core/src/domain.ts", "packages/core/(root)"],
  ["packages/core/tests/contract/job-store.ts", "packages/core/tests"],
  ["packages/operator/console/src/app.tsx", "packages/operator/console"],
])("%s is counted in %s", (file, folder) => expect(folderOf(file)).toBe(folder));
