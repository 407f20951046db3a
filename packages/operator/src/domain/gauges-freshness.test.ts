// A timer that does not run, and one whose runs are in vain, are said.
import { expect, test } from "vitest";
import { type GaugesSign, gaugesFreshness, gaugesTroubles, signAfter } from "./gauges-freshness.ts";

const NOON = Date.parse("2026-01-31T12:00:00.000Z");
const at = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
const ran = (minutes: number, more: Partial<GaugesSign> = {}): GaugesSign => ({
  ...{ at: at(minutes), nextAt: null, failing: null },
  ...more,
});
const LONG_UP = -600;

test.each<[string, GaugesSign | undefined, number, boolean]>([
  ["it ran a minute ago", ran(-1), LONG_UP, false],
  ["it ran three minutes ago", ran(-3), LONG_UP, true],
  ["every five minutes, three minutes ago", ran(-3, { nextAt: at(2) }), LONG_UP, false],
  ["every five minutes, seven minutes ago", ran(-7, { nextAt: at(-2) }), LONG_UP, true],
  ["it ran before the app was stopped for a night", ran(-500), -1, false],
  ["the same, and it has not run since", ran(-500), -3, true],
  ["it has never run, and the app is new", undefined, -5, false],
  ["it has never run", undefined, -7, true],
])("%s", (_, sign, upMinutes, isLate) => {
  const freshness = gaugesFreshness(sign, NOON, NOON + upMinutes * 60_000);
  expect(freshness).toEqual({ lastAt: sign?.at ?? null, isLate, failing: null });
  const words = "The gauges' timer does not run: alerts on what it measures stay silent";
  expect(gaugesTroubles(freshness)).toEqual(isLate ? [{ since: sign?.at ?? null, words }] : []);
});

test("what can't be measured is said from the second run on", () => {
  const fault = "queue jobs: 403";
  const troubles = (since: number) =>
    gaugesTroubles(gaugesFreshness(ran(-1, { failing: { since: at(since), fault } }), NOON, NOON - 3_600_000));
  expect(troubles(-1)).toEqual([]);
  expect(troubles(-2)).toEqual([{ since: at(-2), words: `The gauges' timer can't do all of its work: ${fault}` }]);
});

test("a run fails since the run before it failed, whichever process made that", () => {
  const run = (minutes: number, fault?: string) => ({ at: at(minutes), nextAt: null, fault });
  const first = signAfter(undefined, run(-3, "queue jobs: 403"));
  const second = signAfter(first, run(-2, "queue jobs: 500"));
  expect(second.failing).toEqual({ since: at(-3), fault: "queue jobs: 500" });
  expect(signAfter(second, run(-1))).toEqual(ran(-1));
  expect(signAfter(signAfter(second, run(-1)), run(0, "queue jobs: 403")).failing?.since).toBe(at(0));
});

test("of an app of a version before it nothing is known", () =>
  expect(gaugesTroubles(undefined)).toEqual([{ since: null, words: "Whether the gauges are measured is not known" }]));
