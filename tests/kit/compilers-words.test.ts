// What the compiler says of a mistake in a workflow: what is wrong with the step, and not only that two types do not fit.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { ROOT } from "../../cli/settings.ts";

vi.setConfig({ testTimeout: 180_000 });

/** Where the packages are found, and git looks for nothing. */
const CACHE = join(ROOT, "node_modules/.cache");
mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, "mistakes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The planted mistakes, which no comment excuses here. */
function compiled(): string {
  const sources = "../../../packages/core/src";
  const mistakes = readFileSync(join(ROOT, "packages/core/src/app/typed-steps.test.ts"), "utf8")
    .replaceAll('from "../', `from "${sources}/`)
    .replaceAll('from "./', `from "${sources}/app/`)
    .replaceAll("// @ts-expect-error", "//");
  writeFileSync(join(folder, "mistakes.ts"), mistakes);
  const extended = { extends: "../../../tsconfig.json", include: [], files: ["mistakes.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(extended));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "--noEmit", "--pretty", "false", "-p", folder], { encoding: "utf8" }).stdout;
}

test("each mistake is named in words", () => {
  const words = compiled();
  expect(words).not.toContain("conflicting types");
  for (const fault of [
    "this agent takes the content of another contract",
    "this condition takes the content of another contract",
    "this list takes the content of another contract",
    "rate is not a step before it",
    "rate has another result",
    "appraise has another result",
    "look is not a step before it",
    "the result of look has no collateral",
    "look.names is no list of objects",
    "look is done for each item, and has no one result",
    "this agent takes other items than those of the list",
    "there is no condition isGod",
    "there is no list collateral",
    "there is no step rated",
    "a step has no assigned",
    "agentsReadWhatNoWorkflowHas",
  ])
    expect(words).toContain(fault);
});
