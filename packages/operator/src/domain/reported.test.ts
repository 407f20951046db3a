// What the app says of itself stands for its time, and goes when it is over.
import { expect, test } from "vitest";
import { createCriticalTimes } from "./critical-times.ts";
import { createFunctionFailures } from "./function-failures.ts";
import { type Change, NOTHING_REPORTED, type Reported, reportedAfter, reportedTroubles } from "./reported.ts";

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
  expect(reportedTroubles(reported, NOON)).toEqual([{ name: "JobNotClosed", since: at(-HOUR), words }]);
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

test("a function that fails again and again is said, and is well after two runs", () => {
  const standing = createFunctionFailures();
  const run = (isFailure: boolean, ms = 0) => standing("gauges", isFailure, NOON + ms);
  expect([1, 2, 3, 4, 5].map(() => run(true)).slice(-2)).toEqual(["unchanged", "failing"]);
  expect([run(false), run(false), run(false)]).toEqual(["unchanged", "over", "unchanged"]);
  expect([1, 2, 3, 4, 5].map((minutes) => run(true, minutes * 240_000)).at(-1)).toBe("unchanged");
});
