// P27: a long time without the store, the bus, the storage account or a service, while orders keep coming. `npm run outages`: ten minutes.
import { afterAll, describe, expect, test } from "vitest";
import { noteRun } from "../support/last-run.ts";
import { OUTAGE_NAMES, OUTAGES } from "./kinds.ts";
import { type OutageReport, runOutage } from "./outage.ts";

/** A fifteenth of ten minutes; what a message and a step wait for is shortened in proportion. */
const OUTAGE_MS = 40_000;
const plan = {
  outageMs: OUTAGE_MS,
  intervalS: 3,
  appSettings: { HoldWithin: "PT12S", StartWithin: "PT3S", ClaimWithin: "PT30S", RetryMisconfiguredAfter: "PT3S" },
};
const TIMEOUT_MS = 600_000;

const reports: OutageReport[] = [];
afterAll(() => {
  const sum = (of: (report: OutageReport) => number) => reports.reduce((all, report) => all + of(report), 0);
  const latest = Math.round(Math.max(...reports.map(({ endedAfterMs }) => endedAfterMs)) / 1000);
  noteRun(
    "outages",
    `${reports.length} outages of ${OUTAGE_MS / 1000} s, ${sum(({ orders }) => orders)} orders; all ended at most ${latest} s after; ${sum(({ faults }) => faults.length)} faults`,
  );
});

// Each has a stack of its own and little to do.
describe.concurrent("P27", () => {
  test.each(OUTAGE_NAMES.map((name) => ({ name, ...OUTAGES[name] })))(
    "$title",
    async ({ name }) => {
      const report = await runOutage(name, plan, () => undefined);
      reports.push(report);
      expect(report.faults).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
