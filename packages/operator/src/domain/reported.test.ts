// What the app says of itself stands for its time, and goes when it is over.
import { describe, expect, test } from "vitest";
import { createCriticalTimes, createNotDone } from "./ended-shares.ts";
import { createFunctionRuns } from "./function-failures.ts";
import {
  type Change,
  NOTHING_REPORTED,
  type Report,
  type Reported,
  reportedAfter,
  reportedTroubles,
} from "./reported.ts";

const NOON = Date.parse("2026-01-31T12:00:00.000Z");
const HOUR = 3_600_000;
const at = (ms: number) => new Date(NOON + ms).toISOString();
const after = (...changes: Change[]): Reported =>
  changes.reduce((sofar, one) => reportedAfter(sofar, one, NOON), NOTHING_REPORTED);
const notClosed = (subject: string, ms = 0): Change => ({
  ...{ kind: "said", name: "JobNotClosed", subject, cause: "no content", at: at(ms) },
});

test("what is said twice is one trouble, since the first time, until its time is over", () => {
  const reported = after(notClosed("job-1", -HOUR), notClosed("job-1"));
  const words = "Over, and can't be closed: job-1: no content";
  expect(reportedTroubles(reported, NOON)).toMatchObject([{ name: "JobNotClosed", since: at(-HOUR), words }]);
  expect(reportedTroubles(reported, NOON + 2 * HOUR + 1)).toEqual([]);
});

test("what is over goes: of one subject, or of all", () => {
  const both = after(notClosed("job-1"), notClosed("job-2"));
  const [other] = reportedTroubles(
    reportedAfter(both, { kind: "over", name: "JobNotClosed", subject: "job-1" }, NOON),
    NOON,
  );
  expect(other?.words).toMatch(/job-2/);
  expect(reportedTroubles(reportedAfter(both, { kind: "over", name: "JobNotClosed" }, NOON), NOON)).toEqual([]);
});

test("of very many alike some are kept", () => {
  const many = Array.from({ length: 500 }, (_, index) => notClosed(`job-${index}`));
  expect(reportedTroubles(after(...many), NOON)).toHaveLength(20);
});

test.each<[string, Change[], number, boolean]>([
  ["it ran to its end an hour ago", [ran(-HOUR, true)], 0, false],
  ["it ran to its end a day and more ago", [ran(-26 * HOUR, true)], 0, true],
  ["it runs, and never to its end", [ran(-26 * HOUR, false), ran(-HOUR, false)], 0, true],
  ["it has never run", [], 0, true],
  ["it ran a week ago, and then the app was stopped until now", [ran(-168 * HOUR, true)], 167 * HOUR, false],
])("housekeeping: %s", (_, runs, stoppedMs, isBehind) => {
  const begun: Change = { kind: "alive", at: at(-168 * HOUR) };
  const minutes = Array.from({ length: 168 }, (__, hour): Change => ({ kind: "alive", at: at((hour - 168) * HOUR) }));
  const alive = stoppedMs > 0 ? [begun, { kind: "alive", at: at(0) } as const] : minutes;
  const found = reportedTroubles(after(...alive, ...runs), NOON);
  expect(found.map(({ name }) => name)).toEqual(isBehind ? ["HousekeepingBehind"] : []);
});

function ran(ms: number, finished: boolean): Change {
  return { kind: "ran", task: "OrchestrationsRemoved", finished, at: at(ms) };
}

test("the objective is at risk while too many take too long, in the last hour and the last minutes", () => {
  const isAtRisk = createCriticalTimes();
  for (let each = 0; each < 9; each += 1) expect(isAtRisk(90_000, NOON)).toBe(false);
  expect(isAtRisk(90_000, NOON)).toBe(true);
  expect(isAtRisk(1000, NOON + 6 * 60_000)).toBe(false);
});

test("too many are compensated: twenty in an hour, and three in a hundred", () => {
  const areTooMany = createNotDone();
  for (let each = 0; each < 600; each += 1) expect(areTooMany(false, NOON)).toBe(false);
  for (let each = 0; each < 18; each += 1) expect(areTooMany(true, NOON)).toBe(false);
  expect(areTooMany(true, NOON)).toBe(false);
  expect(areTooMany(true, NOON)).toBe(true);
  expect(areTooMany(true, NOON + HOUR)).toBe(false);
});

test("what is dismissed goes, and is back when it happens again; what has happened again since stays", () => {
  const said = after(notClosed("job-1"), notClosed("job-2"));
  const [report] = said.reports;
  const dismissed: Change = { kind: "dismissed", report: report as Report };
  const subjects = (...changes: Change[]) =>
    changes.reduce((sofar, one) => reportedAfter(sofar, one, NOON), said).reports.map(({ subject }) => subject);
  expect(subjects(dismissed)).toEqual(["job-2"]);
  expect(subjects(dismissed, notClosed("job-1", 1))).toEqual(["job-2", "job-1"]);
  expect(subjects(notClosed("job-1", 1), dismissed)).toEqual(["job-2", "job-1"]);
});

describe("a function that fails again and again", () => {
  const failed = (process: string, ms = 0): Change => ({
    ...{ kind: "failed", name: "gauges", process, cause: "no", at: at(ms) },
  });
  const well = (process: string): Change => ({ kind: "well", name: "gauges", process });
  const named = (...changes: Change[]) => after(...changes).reports.map(({ subject }) => subject);
  const often = ["a", "b", "a", "b", "a"].map((process) => failed(process));

  test("is said, whichever of the processes it has failed in", () => {
    expect(named(...often.slice(1))).toEqual([]);
    expect(named(...often)).toEqual(["gauges"]);
  });

  test("is over when it is well in each of them, and said at its next failure", () => {
    expect(named(...often, well("a"))).toEqual(["gauges"]);
    expect(named(...often, well("a"), well("b"))).toEqual([]);
    expect(named(...often, well("a"), well("b"), failed("b"))).toEqual(["gauges"]);
  });

  test("is not one that fails now and then", () => {
    const now = [1, 2, 3, 4, 5].map((times) => failed("a", times * 240_000));
    expect(now.reduce((sofar, one) => reportedAfter(sofar, one, NOON + 1_200_000), NOTHING_REPORTED).reports).toEqual(
      [],
    );
  });

  test("is well in a process after two runs, of which one that was always well says nothing", () => {
    const run = createFunctionRuns();
    expect([false, true, false, true, false, false, false].map((isFailure) => run("gauges", isFailure))).toEqual([
      ...[undefined, "failed", undefined, "failed", undefined, "well", undefined],
    ]);
  });
});
