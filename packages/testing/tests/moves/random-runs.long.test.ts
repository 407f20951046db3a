// P20: random runs with seeds of the day, with lists and without.
import { expect, test } from "vitest";
import { runsFrom } from "./random-run.ts";

const DAY_MS = 86_400_000;
const FIRST = 1_000_000 + (Math.floor(Date.now() / DAY_MS) % 10_000) * 10_000;
const TOGETHER = 100;
const firsts = Array.from({ length: 20 }, (_, index) => FIRST + index * TOGETHER);

test.each(firsts.map((first, index) => ({ first, hasLists: index % 2 === 0 })))(
  "P16 P20 P22 P26 a hundred random runs from seed $first, lists $hasLists",
  async ({ first, hasLists }) => {
    expect(await runsFrom(first, TOGETHER, { hasLists })).toEqual([]);
  },
);
