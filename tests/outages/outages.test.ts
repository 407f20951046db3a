// P27: a long time without the store, the bus, the storage account or a service, while orders keep coming; in less time than ten minutes, with
// a policy of the same shape as the shipped one. `npm run node -- tests/outages/main.ts` takes the ten minutes and the shipped policy; tests/kit/service-outages.test.ts
// has both in the world's time.
import { afterAll, describe, expect, test } from "vitest";
import { noteRun } from "../support/last-run.ts";
import { OUTAGE_NAMES, OUTAGES, type OutageKind } from "./kinds.ts";
import { type OutageReport, runOutage } from "./outage.ts";
import { SHIPPED, SHORTENED } from "./shipped.ts";

/**
 * A tenth of ten minutes; what a message and a step wait for is shortened too. An attempt takes 6 to 9 s until the supervisor finds it, so the fifth
 * fails after 39 to 51 s, and the last begins half a minute later.
 */
const OUTAGE_MS = 60_000;
/** More than the 32 that may wait for an agent; 13 stacks side by side have two cores. */
const ORDERS_PER_SECOND = 2;
/** As many as the shipped policy counts before its last wait is over. */
const FAILURES_BEFORE_LAST_ATTEMPT = SHIPPED.policy.failureThreshold + SHIPPED.policy.waits.length - 1;
const plan = {
  outageMs: OUTAGE_MS,
  untilFailures: FAILURES_BEFORE_LAST_ATTEMPT,
  ordersPerSecond: ORDERS_PER_SECOND,
  intervalS: 3,
  workflow: SHORTENED,
  appSettings: { StartWithin: "PT3S" },
  tuning: { timing: { holdWithinMs: 12_000, claimWithinMs: 30_000, misconfiguredRetryMs: 3000 } },
};
/** On two cores with five stacks it took 7 s; an intake that is held up waits for half a minute and more. */
const BESIDE_WITHIN_MS = 20_000;
const TIMEOUT_MS = 600_000;

const reports: OutageReport[] = [];
afterAll(() => {
  const sum = (of: (report: OutageReport) => number) => reports.reduce((all, report) => all + of(report), 0);
  const latest = Math.round(Math.max(...reports.map(({ endedAfterMs }) => endedAfterMs)) / 1000);
  const isLookedAt = ({ name }: OutageReport) => (OUTAGES[name] as OutageKind).failures !== undefined;
  const beside = (Math.max(...reports.filter(isLookedAt).map(({ besideMs }) => besideMs)) / 1000).toFixed(1);
  noteRun(
    "outages",
    `${reports.length} outages of ${OUTAGE_MS / 1000} s at least, ${sum(({ orders }) => orders)} orders; all ended at most ${latest} s after, orders that need no service within ${beside} s of their arrival; ${sum(({ faults }) => faults.length)} faults`,
  );
});

// Each has a stack of its own and little to do.
describe.concurrent("P27 a long outage", () => {
  test.each(OUTAGE_NAMES.map((name) => ({ name, ...OUTAGES[name] })))(
    "$title",
    async ({ name }) => {
      const report = await runOutage(name, plan, () => undefined);
      reports.push(report);
      expect(report.faults).toEqual([]);
      const { failures }: OutageKind = OUTAGES[name];
      if (!failures) return;
      if (failures === "all")
        expect(report.mostFailures, "the last wait was needed").toBe(FAILURES_BEFORE_LAST_ATTEMPT);
      else expect(report.failures > 0).toBe(failures === "some");
      expect(report.besideMs, "orders that need no service").toBeLessThan(BESIDE_WITHIN_MS);
    },
    TIMEOUT_MS,
  );
});
