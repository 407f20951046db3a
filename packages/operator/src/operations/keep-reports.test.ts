// What the process says of itself is kept for operators, but for what a store, bus or engine that does not answer causes: that is named by itself.
import { Outage } from "@scheduler-agent-supervisor/core/domain";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NOTHING_REPORTED, type Reported } from "../domain/reported.ts";
import { createKeepReports } from "./keep-reports.ts";

const LATER_MS = 5 * 60_000;

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-01-31T12:00:00.000Z") }));
afterEach(() => void vi.useRealTimers());

function createKept() {
  let kept: Reported = NOTHING_REPORTED;
  const store = {
    change: async (apply: (before: Reported) => Reported) => {
      kept = apply(kept);
    },
    read: async () => kept,
  };
  const host = () => createKeepReports({ store, usualWorkflow: "usual", switchedOff: [], now: () => Date.now() });
  const reports = host();
  return {
    reports,
    other: host(),
    async names() {
      await vi.advanceTimersByTimeAsync(LATER_MS);
      return (await reports.current()).reports.map(({ name }) => name);
    },
  };
}

test.each([
  ["the store refuses it", null, ["AuditLogUnwritten"]],
  ["the store does not answer", "Outage", []],
])("an audit log that is not written because %s", async (_, outage, named) => {
  const { reports, names } = createKept();
  reports.event("AuditLogUnwritten", { jobId: "job-1", cause: "no", outage });
  expect(await names()).toEqual(named);
});

test.each([
  ["of a fault", () => new TypeError("no"), ["FunctionFailed"]],
  ["of an outage", () => new Outage("no"), []],
])("a function that fails again and again because %s", async (_, make, named) => {
  const { reports, names } = createKept();
  for (let run = 0; run < 10; run += 1) reports.invocation("startAttempt", make());
  expect(await names()).toEqual(named);
});

test("a function that fails a few times in each of two hosts", async () => {
  const { reports, other, names } = createKept();
  for (const host of [reports, other, reports, other, reports]) host.invocation("startAttempt", new TypeError("no"));
  expect(await names()).toEqual(["FunctionFailed"]);
  for (const host of [reports, reports, other, other]) host.invocation("startAttempt", undefined);
  expect(await names()).toEqual([]);
});

test.each([
  ["JobErrored", "rejected", []],
  ["JobCompensated", "expired", ["ManyNotDone"]],
  ["JobCompensated", "compensationRequested", []],
  ["JobErrored", "expired", []],
] as const)("twenty that end by %s, %s", async (event, kind, named) => {
  const { reports, names } = createKept();
  for (let job = 0; job < 20; job += 1) reports.event(event, { jobId: `job-${job}`, kind, step: "reserveStock" });
  expect(await names()).toEqual(named);
});

test("a report is dismissed by the id that was seen, of which there is another when it happens again", async () => {
  const { reports, names } = createKept();
  const skipped = { jobId: "job-1", step: "reserveStock", message: "HTTP 409" };
  reports.event("CompensationIncomplete", skipped);
  expect(await names()).toEqual(["CompensationIncomplete"]);
  const [seen] = (await reports.current()).reports;
  expect(seen).toMatchObject({ jobId: "job-1", id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  reports.event("CompensationIncomplete", skipped);
  expect(await names()).toEqual(["CompensationIncomplete"]);
  expect(await reports.dismiss(seen?.id ?? "")).toBeUndefined();
  const [again] = (await reports.current()).reports;
  expect(await reports.dismiss(again?.id ?? "")).toMatchObject({ subject: "job-1" });
  expect(await names()).toEqual([]);
});
