// Each case is telemetry at which an alert is raised, or is not: its query runs over it as Azure would, in its window.
import { join } from "node:path";
import { expect, test } from "vitest";
import { read } from "./deploy.ts";
import { type Row, run, type Tables } from "./kusto-run.ts";

interface Rule {
  readonly name: string;
  readonly window: string;
  readonly frequency: string;
  readonly severity: number;
  readonly closedBy?: "person";
  readonly mutedFor?: string;
}
const { log } = JSON.parse(read("infra/alerts/alerts.json")) as { log: readonly Rule[] };
const ruleOf = (name: string) => log.find((rule) => rule.name === name) as Rule;

const NOW = Date.parse("2026-01-31T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const lengthOf = (duration: string) => {
  const [, days = 0, hours = 0, minutes = 0] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(duration) ?? [];
  return Number(days) * DAY + Number(hours) * HOUR + Number(minutes) * MINUTE;
};

/** @param ago in milliseconds */
const event = (Name: string, ago: number, Properties: Row = {}, more: Row = {}): Row => ({
  ...{ Name, Properties, TimeGenerated: NOW - ago, table: "AppEvents" },
  ...more,
});
const gauge = (Name: string, ago: number, Sum: number, Properties: Row = {}): Row => ({
  ...event(Name, ago, Properties),
  ...{ Sum, table: "AppMetrics" },
});
const many = (count: number, make: (at: number) => Row) => Array.from({ length: count }, (_, at) => make(at));
/** What the alert `name` finds in its window. @param later how long after the telemetry it is evaluated */
function found(name: string, rows: readonly Row[], later = 0): Row[] {
  const now = NOW + later;
  const from = now - lengthOf(ruleOf(name).window);
  const inWindow = rows.filter(({ TimeGenerated }) => Number(TimeGenerated) >= from);
  return run(
    read(join("infra/alerts", `${name}.kql`)),
    Object.groupBy(inWindow, ({ table }) => String(table)) as Tables,
    now,
  );
}

/** One a minute, the last one `ago`. */
const ends = (count: number, Name: string, kind: string | null, ago = MINUTE) =>
  many(count, (at) => {
    const jobId = `${Name}-${kind}-${ago}-${at}`;
    return event(Name, ago + at * MINUTE, { jobId, attempt: 1, kind, step: kind && "takePayment", message: kind });
  });
const inError = (kind: string, sum = 1, ago = MINUTE) => [gauge("jobs.by_state", ago, sum, { state: "Error", kind })];
const held = (sum: number, reason: string, minutes = 10, ago = 1000) =>
  many(minutes, (at) => gauge("jobs.held_up", ago + at * MINUTE, sum, { agent: "payment", reason }));
const USUAL = [...ends(50, "JobProcessed", null), ...ends(500, "JobProcessed", null, DAY)];
const SWEEPS = many(60, (at) => event("SupervisorSweep", at * MINUTE, { endedBy: "done" }));
const MEASURED = many(60, (at) => gauge("jobs.overdue", at * MINUTE, 0));
const HOUSEKEEPING = many(24, (at) => event("JobsClosed", at * HOUR, { finished: true, broken: 0 }));
const FAULTY = [event("SupervisorSweep", 0, { endedBy: "fault" })];
const unmeasured = (times: number) => many(times, (at) => event("GaugesNotMeasured", at * MINUTE, { what: "jobs" }));
const incomplete = (ago: number, ingested = NOW - ago) => [
  event("CompensationIncomplete", ago, { jobId: "a" }, { ingested }),
];

type Case = readonly [alert: string, fires: boolean, what: string, ...telemetry: Row[][]];
const CASES: readonly Case[] = [
  ["job-in-error", true, "a service did not answer", ends(1, "JobErrored", "expired")],
  ["job-in-error", false, "a card is declined", ends(1, "JobErrored", "rejected")],
  ["jobs-left-in-error", true, "one expired", inError("expired")],
  ["jobs-left-in-error", false, "a card is declined", inError("rejected")],
  ["jobs-left-in-error", false, "one is marked resolved", inError("resolved")],
  ["jobs-rejected", true, "a card is declined", inError("rejected")],
  ["jobs-rejected", false, "it is paid since", inError("rejected"), inError("rejected", 0, 0)],
  ["jobs-rejected", false, "one expired", inError("expired")],
  ["jobs-not-done", true, "a product is out of stock", USUAL, ends(30, "JobCompensated", "rejected")],
  ["jobs-not-done", true, "cards are declined by a fault of the service", USUAL, ends(30, "JobErrored", "rejected")],
  ["jobs-not-done", false, "a few", USUAL, ends(19, "JobCompensated", "rejected")],
  ["jobs-not-done", false, "an operator compensates", USUAL, ends(50, "JobCompensated", "compensationRequested")],
  [
    ...(["jobs-not-done", false, "as many as ever", USUAL] as const),
    ...[ends(30, "JobCompensated", "rejected"), ends(200, "JobCompensated", "rejected", DAY + MINUTE)],
  ],
  ["slo-ended-right", true, "services are away", USUAL, ends(20, "JobErrored", "expired")],
  ["slo-ended-right", true, "they are, and the policy compensates", USUAL, ends(20, "JobCompensated", "expired")],
  ["slo-ended-right", false, "cards are declined", USUAL, ends(20, "JobErrored", "rejected")],
  ["slo-ended-right", false, "a product is out of stock", USUAL, ends(20, "JobCompensated", "rejected")],
  ["slo-ended-right", false, "an operator compensates", USUAL, ends(20, "JobCompensated", "compensationRequested")],
  ["agent-held-up", true, "many wait for their next try", held(5, "retry")],
  ["agent-held-up", false, "one is in its policy's own wait", held(1, "retry")],
  ["agent-held-up", true, "one can't be polled", held(1, "poll")],
  ["agent-held-up", false, "many await a report", held(50, "report")],
  ["agent-held-up", false, "they go on", held(5, "retry", 9, MINUTE + 1000), held(0, "retry", 1)],
  ["supervisor-stopped", false, "it sweeps", SWEEPS],
  ["supervisor-stopped", false, "it never swept"],
  ["supervisor-stopped", true, "it stopped", SWEEPS.slice(11)],
  ["supervisor-stopped", true, "each sweep ends by a fault", SWEEPS.slice(11), FAULTY],
  ["gauges-stopped", false, "they are measured", MEASURED],
  ["gauges-stopped", true, "none is", MEASURED.slice(16)],
  ["gauges-stopped", true, "one is not", MEASURED, unmeasured(10)],
  ["gauges-stopped", false, "one was not, once", MEASURED, unmeasured(1)],
  ["housekeeping-behind", false, "it gets to its end", HOUSEKEEPING],
  ["housekeeping-behind", true, "one is broken", HOUSEKEEPING, [event("JobsClosed", 0, { finished: true, broken: 1 })]],
  ["compensation-incomplete", true, "an hour late", incomplete(HOUR, NOW - MINUTE)],
  ["compensation-incomplete", false, "yesterday's", incomplete(23 * HOUR)],
];

test.each(CASES.map(([name, fires, what, ...telemetry]) => ({ name, fires, what, rows: telemetry.flat() })))(
  "$name: $what",
  ({ name, fires, rows }) => expect(found(name, rows).length > 0).toBe(fires),
);

/** The sign of a fault that lasts: what came before it, and nothing since. */
const STOPPED = [
  ["supervisor-stopped", SWEEPS],
  ["gauges-stopped", MEASURED],
  ["housekeeping-behind", HOUSEKEEPING],
] as const;

test.each(STOPPED)("%s: it stays after two days, when its window is empty", (name, rows) => {
  expect(found(name, rows, 47 * HOUR)).not.toEqual([]);
  expect(found(name, rows, 49 * HOUR)).toEqual([]);
  expect(ruleOf(name).closedBy).toBe("person");
});

test("whatever looks for silence, or for what has become usual, is closed by a person; and is muted, or each evaluation raises it", () => {
  const looking = log.filter(({ name }) => /< ago\(/.test(read(`infra/alerts/${name}.kql`))).map(({ name }) => name);
  const closed = log.filter(({ closedBy }) => closedBy);
  expect(closed.map(({ name }) => name)).toEqual(expect.arrayContaining(looking));
  for (const { name, mutedFor = "", frequency } of closed)
    expect(lengthOf(mutedFor), name).toBeGreaterThan(lengthOf(frequency));
  for (const { name, closedBy, mutedFor } of log) expect(Boolean(mutedFor), name).toBe(closedBy !== undefined);
});

test("an incomplete compensation is seen by an evaluation that comes late, or after one that did not come or was muted", () => {
  const { frequency, mutedFor = "" } = ruleOf("compensation-incomplete");
  const late = Math.max(lengthOf(mutedFor), 2 * lengthOf(frequency)) + 2 * MINUTE;
  expect(found("compensation-incomplete", incomplete(0), late)).not.toEqual([]);
  expect(found("compensation-incomplete", incomplete(0), late + lengthOf(frequency))).toEqual([]);
});

test("a decision of the business wakes nobody", () => {
  const declined = [inError("rejected"), ends(1, "JobErrored", "rejected"), held(1, "retry"), SWEEPS, MEASURED].flat();
  const raised = log.filter(({ name }) => found(name, declined).length > 0);
  expect(raised.map(({ name, severity }) => [name, severity])).toEqual([["jobs-rejected", 3]]);
});
