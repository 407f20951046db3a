// What a fault run says of itself.
import { expect, test } from "vitest";
import { describeRun } from "./report.ts";
import type { FaultLife } from "./run.ts";

const life = (changes: Partial<FaultLife>): FaultLife => ({
  ...{
    workflow: "registration",
    scenario: "all goes well",
    jobId: "c1",
    deaths: [],
    crashed: true,
    ms: 1500,
    faults: [],
  },
  ...changes,
});
const run = { kills: 1, ms: 3000, notRun: [], passed: true };

test("a row for each thing that happens, and a verdict", () => {
  const text = describeRun({ ...run, lives: [life({}), life({ deaths: ["submission:store.create#1:after"] })] });
  expect(text).toMatch(/^registration, all goes well +2 +1 +0 +0$/m);
  expect(text).toContain("PASSED: 2 jobs, 1 kills of the host, 0 jobs wrong, in 3 s");
});

test("each wrong job with where the host died and what is wrong", () => {
  const wrong = life({ jobId: "c2", deaths: ["submission:store.create#1:after"], faults: ["there is no record"] });
  const text = describeRun({ ...run, passed: false, lives: [life({}), wrong], notRun: ["renewal"] });
  expect(text).toContain("c2: registration, all goes well, killed at submission:store.create#1:after: WRONG: there is");
  expect(text).toContain("Not run: renewal has no content.");
  expect(text).toContain("FAILED");
});

test("a run without a death does not pass for one", () => {
  expect(describeRun({ ...run, kills: 0, passed: false, lives: [life({})] })).toContain("The host was never killed");
});
