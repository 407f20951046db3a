import { describe, expect, test } from "vitest";
import { after } from "../duration.ts";
import { missedAt } from "../record/due.ts";
import { NOT_STARTED, type StepRecord, type StepRun } from "../record/state-record.ts";
import { backoffMs, comparePolls, nextPollAt, pollsAfter } from "./poll.ts";

const NOON = "2026-01-01T12:00:00.000Z";
const at = (ms: number) => after(NOON, ms);
const DAY_MS = 86_400_000;

describe("when a service is asked again", () => {
  const next = (pauseMs: number, waitedMs: number) =>
    nextPollAt({ at: NOON }, pauseMs, "PT10S", at(30 * DAY_MS), at(waitedMs));

  test("when it said", () => expect(next(60_000, 60_000)).toBe(at(120_000)));
  test("not before a second is over", () => expect(next(0, 0)).toBe(at(1000)));
  test("seldom, once it has waited for long", () => expect(next(1000, DAY_MS)).toBe(at(DAY_MS * 1.05)));

  test.each([99_999_999_999_999, Number.POSITIVE_INFINITY, Number.NaN, -1])(
    "P6 whatever number it said: %s",
    (pauseMs) => expect(next(pauseMs, 0) <= at(30 * DAY_MS)).toBe(true),
  );

  test("once more while an answer still counts, and not earlier than it said otherwise", () => {
    expect(next(2 * DAY_MS, 29 * DAY_MS)).toBe(at(30 * DAY_MS - 10_000));
    expect(next(60_000, 30 * DAY_MS - 5000)).toBe(at(30 * DAY_MS * 1.05 - 5250));
  });

  test("some three hundred times in thirty days, however often it wants to be", () => {
    let times = 0;
    for (let now = NOON; now < at(30 * DAY_MS); now = nextPollAt({ at: NOON }, 1000, "PT10S", at(30 * DAY_MS), now)) {
      times += 1;
    }
    expect(times).toBeLessThan(320);
  });
});

test("without an answer the pause is as long as it was not received of, to a quarter of an hour", () => {
  expect(backoffMs({ at: NOON }, at(60_000))).toBe(60_000);
  expect(backoffMs({ at: NOON, lastReportAt: at(50_000) }, at(60_000))).toBe(10_000);
  expect(backoffMs({ at: NOON }, at(DAY_MS))).toBe(900_000);
});

describe("a run that waits", () => {
  const run = (pollAt: string | undefined, completeBy: string): StepRun => ({
    ...NOT_STARTED,
    state: "Awaiting",
    completeBy,
    accepted: { at: NOON, pollAt },
  });

  test("is taken for forgotten ten minutes after it was to be asked for, and at the end of its time", () => {
    expect(missedAt(run(NOON, at(DAY_MS)))).toBe(at(600_000));
    expect(missedAt(run(NOON, at(60_000)))).toBe(at(60_000));
    expect(missedAt(run(at(60_001), at(60_000)))).toBeUndefined();
    expect(missedAt(run(undefined, at(DAY_MS)))).toBeUndefined();
    expect(missedAt({ ...run(NOON, at(DAY_MS)), state: "Completed" })).toBeUndefined();
  });

  test("is known by its latest times", () => {
    expect(comparePolls(run(at(2), at(9)), run(at(1), at(9)))).toBe(1);
    expect(comparePolls(run(at(2), at(8)), run(at(2), at(9)))).toBe(-1);
    expect(comparePolls(run(at(2), at(9)), run(at(2), at(9)))).toBe(0);
    expect(comparePolls(run(at(2), at(9)), run(undefined, at(9)))).toBe(1);
  });
});

test("P14 P22 a missed poll is made at once by the next attempt, of a step and of its compensation", () => {
  const waits: StepRun = {
    ...NOT_STARTED,
    state: "Awaiting",
    completeBy: at(DAY_MS),
    accepted: { at: NOON, pollAt: NOON },
  };
  const step = { ...waits, agent: "bank", result: null, compensation: null, generation: 1 };
  const compensated: StepRecord = { ...step, state: "Completed", compensation: waits };
  const polls = (now: string) => pollsAfter({ step, compensated }, now, now);
  const asked = { ...waits, accepted: { at: NOON, pollAt: at(600_001) } };
  expect(polls(at(600_001))).toEqual({
    step: { ...step, ...asked },
    compensated: { ...compensated, compensation: asked },
  });
  expect(polls(at(600_000))).toEqual({ step, compensated });
});
