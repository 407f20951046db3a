// P20: 1,000 random runs more than `npm test` makes, with lists and without. `main.ts` tries other seeds.
import { expect, test } from "vitest";
import { runsFrom } from "./random-run.ts";

const FIRST = 10_000;
const TOGETHER = 100;
const firsts = Array.from({ length: 10 }, (_, index) => FIRST + index * TOGETHER);

test.each(firsts.map((first, index) => ({ first, hasLists: index % 2 === 0 })))(
  "P16 P20 P22 P26 a hundred random runs from seed $first, lists $hasLists",
  async ({ first, hasLists }) => {
    expect(await runsFrom(first, TOGETHER, { hasLists })).toEqual([]);
  },
);
