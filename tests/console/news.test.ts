// What makes the first view read its lists again before it is their turn; and which of its answers are recent.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClock, isRecent } from "../../packages/operator/console/src/api/clock.ts";
import { createNews } from "../../packages/operator/console/src/api/news.ts";

const SECOND = 1000;
const one = (count: number) => ({ process: "one", count });

test("nothing is read again for the first answer, nor while nothing happens", () => {
  const news = createNews();
  expect([10, 10, 10].map((count, at) => news.isNews(one(count), at * 10 * SECOND))).toEqual([false, false, false]);
});

test("what has happened is read at once, and once more: it may be counted before it is stored", () => {
  const news = createNews();
  const seen = [0, 1, 1, 1, 1, 1].map((count, at) => news.isNews(one(count), at * 10 * SECOND));
  expect(seen).toEqual([false, true, false, true, false, false]);
});

test("while something happens all the time, the lists are read every 20 s at most", () => {
  const news = createNews();
  const seen = Array.from({ length: 13 }, (_, at) => news.isNews(one(at), at * 10 * SECOND));
  expect(seen.filter(Boolean)).toHaveLength(6);
});

test("each process has its own count, and one that has not answered before may have news", () => {
  const news = createNews();
  const other = (count: number) => ({ process: "other", count });
  expect(news.isNews(one(7), 0)).toBe(false);
  expect(news.isNews(other(0), 20 * SECOND)).toBe(false);
  expect(news.isNews(one(7), 40 * SECOND)).toBe(false);
  expect(news.isNews({ process: "third", count: 3 }, 60 * SECOND)).toBe(true);
});

const NOON = Date.parse("2026-01-31T12:00:00.000Z");

beforeEach(() => {
  vi.useFakeTimers({ now: NOON });
});
afterEach(() => {
  vi.useRealTimers();
});

test("ages are by the app's clock where the browser's is wrong; some seconds of difference do not matter", () => {
  const aheadAfter = (date: string) => {
    const clock = createClock();
    clock.compare(date, NOON);
    return clock.aheadMs();
  };
  expect(aheadAfter("Sat, 31 Jan 2026 13:00:00 GMT")).toBe(3600 * SECOND);
  expect(aheadAfter("Sat, 31 Jan 2026 11:00:00 GMT")).toBe(-3600 * SECOND);
  expect(aheadAfter("Sat, 31 Jan 2026 12:00:09 GMT")).toBe(0);
});

test("an answer without a time, or that was long under way, says nothing of the clocks", () => {
  const clock = createClock();
  clock.compare(null, NOON);
  clock.compare("Sat, 31 Jan 2026 13:00:00 GMT", NOON - 6 * SECOND);
  expect(clock.aheadMs()).toBe(0);
});

test("an answer that is given again, with the time that it had, does not set the clock back", () => {
  const clock = createClock();
  // Its time is in whole seconds: half a minute later it lags by more than that.
  vi.setSystemTime(NOON + 900);
  clock.compare("Sat, 31 Jan 2026 12:00:00 GMT", NOON + 900);
  vi.advanceTimersByTime(29_500);
  clock.compare("Sat, 31 Jan 2026 12:00:00 GMT", Date.now());
  expect(clock.aheadMs()).toBe(0);
  vi.setSystemTime(NOON);
  vi.advanceTimersByTime(90 * SECOND);
  clock.compare("Sat, 31 Jan 2026 12:00:00 GMT", Date.now());
  expect(clock.aheadMs()).toBe(0);
  clock.compare("Sat, 31 Jan 2026 12:01:30 GMT", Date.now());
  expect(clock.aheadMs()).toBe(0);
  // The browser's clock is set forward by an hour.
  vi.setSystemTime(Date.now() + 3600 * SECOND);
  clock.compare("Sat, 31 Jan 2026 12:01:31 GMT", Date.now());
  expect(clock.aheadMs()).toBe(-3599 * SECOND);
});

test("an answer is not recent after two minutes, nor if the clock was set back since", () => {
  expect(isRecent(NOON - 119 * SECOND)).toBe(true);
  expect(isRecent(NOON - 121 * SECOND)).toBe(false);
  expect(isRecent(NOON + 3600 * SECOND)).toBe(false);
});
