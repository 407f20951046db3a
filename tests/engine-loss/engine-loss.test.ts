// P14 P16: the durable engine is lost under orders in flight. The state store alone tells what is left to do; `npm run node -- tests/engine-loss/main.ts` has the shipped times.
import { ENGINES } from "@scheduler-agent-supervisor/local";
import { afterAll, expect, test } from "vitest";
import { SHORTENED } from "../outages/shipped.ts";
import { noteRun } from "../support/last-run.ts";
import { type Form, inSeconds, type LossReport, runEngineLoss } from "./engine-loss.ts";

const ORDERS = 60;
const appSettings = { StartWithin: "PT5S" };
const tuning = { timing: { claimWithinMs: 8000 } };
/** The host's start, the start-by time, a step's own time and two sweeps: 63 s on cores that other suites use too. An engine's own five minutes are not waited for. */
const ENDED_WITHIN_MS = 120_000;

const ROWS: readonly (readonly [form: Form, title: string])[] = [
  [
    "deleted",
    "[scheduler | orders in flight | task hub deleted] the supervisor starts their next attempts; all are Processed, one effect a step",
  ],
  ["hub", "[scheduler | orders in flight | app goes on with another task hub] as when it is deleted"],
  ["engine", "[scheduler | orders in flight | app goes on with another engine] as when it is deleted"],
];

const reports: LossReport[] = [];
afterAll(() => {
  const sum = (of: (report: LossReport) => number) => reports.reduce((all, report) => all + of(report), 0);
  const latest = inSeconds(Math.max(...reports.map(({ endedAfterMs }) => endedAfterMs)));
  const inFlight = sum(({ atLoss }) => (atLoss["Processing"] ?? 0) + (atLoss["Pending"] ?? 0));
  noteRun(
    "engine loss",
    `${reports.length} losses, ${sum(({ orders }) => orders)} orders, ${inFlight} in flight; all ended at most ${latest} s after, ${sum(({ laterAttempts }) => laterAttempts)} in a later attempt; ${sum(({ faults }) => faults.length)} faults`,
  );
});

// One after the other: each loads the machine by itself.
for (const [form, title] of ROWS)
  test.each(ENGINES)(
    `P16 ${title} (%s)`,
    async (engine) => {
      const plan = { form, engine, orders: ORDERS, workflow: SHORTENED, appSettings, tuning };
      const report = await runEngineLoss(plan, () => undefined);
      reports.push(report);
      expect(report.faults).toEqual([]);
      expect(report.laterAttempts, "orders that the supervisor recovered").toBeGreaterThan(0);
      expect(report.endedAfterMs).toBeLessThan(ENDED_WITHIN_MS);
    },
    300_000,
  );
