// P20: 600 random runs of workflows with lists, whose moves are pauses, outages, moved clocks, operators' and requesters' actions, late and odd answers, and
// deaths. The seeds are the same each time; the long suite has others.
import { expect, test } from "vitest";
import { runsFrom } from "./random-run.ts";

const TOGETHER = 10;
const firsts = Array.from({ length: 60 }, (_, index) => 1 + index * TOGETHER);

test.each(firsts)(
  "P16 P20 P22 P26 ten random runs with lists, from seed %i: each job ends, and nobody's wait by what is not its fault",
  async (first) => {
    expect(await runsFrom(first, TOGETHER, { hasLists: true })).toEqual([]);
  },
);
