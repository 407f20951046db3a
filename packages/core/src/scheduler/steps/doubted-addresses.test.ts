// How long an unknown address for reports is in doubt, and that a flood of them takes no more memory than was set.
import { expect, test } from "vitest";
import { createDoubtedAddresses } from "./completion.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");

test("an unknown address may be new for 20 s after it was first asked for, however often", () => {
  const doubted = createDoubtedAddresses();
  expect([0, 1000, 19_999, 20_000, 60_000].map((ms) => doubted.mayBeNew("address", NOW + ms))).toEqual([
    ...[true, true, true],
    ...[false, false],
  ]);
  expect(doubted.mayBeNew("another", NOW + 60_000)).toBe(true);
});

test("of a flood the oldest are forgotten: they are asked for again, and nobody is turned away by it", () => {
  const doubted = createDoubtedAddresses(3);
  for (const address of ["a", "b", "c"]) doubted.mayBeNew(address, NOW);
  expect(doubted.mayBeNew("c", NOW + 30_000)).toBe(false);
  for (let number = 0; number < 1000; number += 1) doubted.mayBeNew(`flood-${number}`.repeat(100), NOW + 30_000);
  expect(doubted.mayBeNew("c", NOW + 30_001)).toBe(true);
});

test("after an hour an address is in doubt anew: it may have been given to somebody since", () => {
  const doubted = createDoubtedAddresses();
  doubted.mayBeNew("address", NOW);
  expect(doubted.mayBeNew("address", NOW + 3_599_999)).toBe(false);
  expect(doubted.mayBeNew("address", NOW + 3_600_000)).toBe(true);
});
