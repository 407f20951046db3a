// Every state that small worlds can reach: what must hold, holds in each, and from each of them every order comes to its end.

import { exploreStates, type Finding, Model } from "@scheduler-agent-supervisor/testing/memory";
import { afterAll, expect, test } from "vitest";
import { KNOWN, MORE_WORLDS, WORLDS } from "../../packages/testing/tests/model/worlds.ts";
import { noteRun } from "../support/last-run.ts";

const LEAST_STATES = 1_000_000;
/** More than any of the worlds has. */
const TOO_MANY = 12_000_000;
const LIMIT_MS = 20 * 60_000;

const isAll = process.env["MODEL_WORLDS"] === "all";
const lines: string[] = [];
let states = 0;
let deepest = 0;

/** Said wherever the numbers are: they are not those of all states. */
const REDUCED =
  "reduced: left out are orders of moves that lead to the same, and states that differ in what nothing reads (README, Reductions)";

const residentMb = () => Math.ceil(process.memoryUsage().rss / 2 ** 20);

function inWords({ fault, trace }: Finding): string {
  return `${fault}\n${trace.map((step, index) => `${String(index + 1).padStart(4)}  ${step}`).join("\n")}`;
}

test.each(isAll ? [...WORLDS, ...MORE_WORLDS] : WORLDS)(
  "P20 $name",
  async (world) => {
    const begun = performance.now();
    const report = await exploreStates(new Model(world), { states: TOO_MANY });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const { moves, depth, longestRun } = report;
    lines.push(
      `${world.name}: ${report.states} states, ${moves} moves, depth ${depth}, at most ${longestRun} moves to the end, ${seconds} s, ${residentMb()} MB by then`,
    );
    states += report.states;
    deepest = Math.max(deepest, depth);
    expect(report.finding && inWords(report.finding)).toBeUndefined();
    expect(report.complete).toBe(true);
    expect(report.settled).toBe(report.states);
  },
  LIMIT_MS,
);

test("P20 they are a million distinct states and more", () => {
  expect(states).toBeGreaterThanOrEqual(LEAST_STATES);
});

test.each(KNOWN)("known and not fixed: $words ($world.name)", async ({ words, world }) => {
  const { finding } = await exploreStates(new Model(world), { states: TOO_MANY });
  // Fixed? Then take it out of worlds.ts and the README.
  expect(finding?.fault).toContain(words);
});

afterAll(() => {
  console.log(`${lines.join("\n")}\nin all: ${states} distinct states\n${REDUCED}`);
  noteRun(
    "model",
    `${states.toLocaleString("en")} distinct states in ${lines.length} worlds, at most ${deepest} moves deep`,
  );
});
