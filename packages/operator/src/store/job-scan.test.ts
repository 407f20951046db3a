// A search that no index answers: however many jobs are stored, a page looks through a bounded number of them.
import { expect, test } from "vitest";
import { type Scanned, scanJobs, type Window } from "./job-scan.ts";

const MOST = 1000;
const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-01-31T12:00:00Z");

/** @param instants the newest first */
function storeOf(instants: readonly number[], matches: (instant: number) => boolean) {
  const counted = { counts: 0, read: 0 };
  const within = ({ after, upTo }: Window) => instants.filter((at) => at > after && at <= upTo);
  return {
    counted,
    count: async (window: Window) => {
      counted.counts += 1;
      return within(window).length;
    },
    read: async (window: Window, most: number) => {
      counted.read += within(window).length;
      return within(window).filter(matches).slice(0, most);
    },
  };
}

const spread = (count: number, apartMs: number) => Array.from({ length: count }, (_, at) => NOW - at * apartMs);

async function allPages(instants: readonly number[], matches: (at: number) => boolean) {
  const found: number[] = [];
  const pages: { looked: number; counts: number }[] = [];
  for (let upTo: number | null = NOW; upTo !== null; ) {
    const store = storeOf(instants, matches);
    const page: Scanned<number> = await scanJobs({ after: 0, upTo }, 51, MOST, store);
    found.push(...page.found);
    pages.push({ looked: page.looked, counts: store.counted.counts });
    expect(store.counted.read).toBe(page.looked);
    upTo = page.goOnAt;
  }
  return { found, pages };
}

test.each([
  ["two a day for years", spread(2000, DAY_MS / 2)],
  ["some hundreds an hour", spread(10_000, 5000)],
  ["thousands in a second", spread(10_000, 0.2).map(Math.floor)],
  [
    "bursts with weeks between",
    [0, 1, 2, 3].flatMap((burst) => spread(3000, 10).map((at) => at - burst * 30 * DAY_MS)),
  ],
])(
  "%s: what matches is found, no page looks through more than it may, and few counts are asked for",
  async (_, instants) => {
    const wanted = [instants[3], instants[Math.floor(instants.length / 2)], instants.at(-1)].map(Number);
    const { found, pages } = await allPages(instants, (at) => wanted.includes(at));
    expect([...new Set(found)]).toEqual(wanted);
    for (const { looked, counts } of pages) {
      expect(looked).toBeLessThanOrEqual(MOST);
      expect(counts).toBeLessThan(30);
    }
    expect(pages.length).toBeLessThanOrEqual(instants.length / (MOST * 0.5) + 2);
  },
);

test("where enough is found it looks no further", async () => {
  const store = storeOf(spread(5000, 1000), () => true);
  const page = await scanJobs({ after: 0, upTo: NOW }, 51, MOST, store);
  expect(page).toMatchObject({ goOnAt: null, found: { length: 51 } });
  expect(page.found[0]).toBe(NOW);
});

test("nothing is stored: a few counts say so", async () => {
  const store = storeOf([], () => true);
  expect(await scanJobs({ after: 0, upTo: NOW }, 51, MOST, store)).toEqual({ found: [], looked: 0, goOnAt: null });
  expect(store.counted).toEqual({ counts: 7, read: 0 });
});

test("more jobs of one millisecond than a page looks through do not stop it", async () => {
  const instants = [...Array.from({ length: 1500 }, () => NOW), NOW - DAY_MS];
  const { found, pages } = await allPages(instants, (at) => at === NOW - DAY_MS);
  expect(found).toEqual([NOW - DAY_MS]);
  expect(pages.map(({ looked }) => looked)).toEqual([1500, 1]);
});

test("the oldest wanted instant is a bound", async () => {
  const store = storeOf(spread(100, DAY_MS), () => true);
  const page = await scanJobs({ after: NOW - 3 * DAY_MS, upTo: NOW }, 51, MOST, store);
  expect(page).toMatchObject({ looked: 3, goOnAt: null, found: { length: 3 } });
});
