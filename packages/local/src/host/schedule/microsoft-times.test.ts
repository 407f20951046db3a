// Schedules and time spans as Microsoft's own libraries read them: microsoft-times.json was recorded from those.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseSchedule } from "./schedule.ts";
import { timeSpanMs } from "./time-span.ts";

interface Recorded {
  readonly from: string;
  readonly until: string;
  /** The first occurrences after `from`; null where it is refused. */
  readonly ncrontab: { readonly [text: string]: readonly string[] | null };
  readonly timeSpanMs: { readonly [text: string]: number | null };
}

const path = new URL("microsoft-times.json", import.meta.url);
const recorded = JSON.parse(readFileSync(path, "utf8")) as Recorded;

test.each(Object.entries(recorded.ncrontab))("NCRONTAB %j", (text, expected) => {
  if (expected === null) {
    expect(() => parseSchedule(text, undefined)).toThrow(/is not a /);
    return;
  }
  const schedule = parseSchedule(text, undefined);
  const end = new Date(recorded.until);
  const found: string[] = [];
  let at = schedule.next(new Date(recorded.from));
  for (; at && at < end && found.length < 4; at = schedule.next(at)) found.push(at.toISOString().slice(0, 19));
  expect(found).toEqual(expected);
});

test.each(Object.entries(recorded.timeSpanMs))("time span %j", (text, expected) => {
  const ms = timeSpanMs(text);
  expect(ms ?? null).toBe(expected);
});
