// The contract of the audit log: every implementation passes this one suite.

import { beforeAll, describe, expect, test } from "vitest";
import { type AuditLog, MOST_DECISIONS, type SupervisionEntry, sweepIdOf } from "../../src/store/audit-log.ts";

const BEFORE = { processState: "Processing", attempt: 1, failureCount: 0, step: "takePayment" } as const;
const AFTER = { processState: "Pending", attempt: 2, failureCount: 1, step: null } as const;

export function supervisionLogContract(name: string, open: () => Promise<AuditLog>): void {
  describe(`supervision log: ${name}`, () => {
    let log: AuditLog;
    beforeAll(async () => {
      log = await open();
    });

    const sweepOf = (at: string, found = 1) => ({
      sweepId: sweepIdOf(at, 3, "a1"),
      at,
      endedAt: at,
      leader: "eu/7071",
      epoch: 3,
      thresholds: { clockSkewMs: 1000 },
      report: { found, finished: true, endedBy: "all seen" },
    });
    const decisionOf = (sweepId: string, jobId: string, at: string) => ({
      sweepId,
      jobId: jobId,
      at,
      epoch: 3,
      rule: "failure 1, below the threshold of 3",
      verdict: "retry",
      before: BEFORE,
      after: AFTER,
      outcome: "applied" as const,
    });

    async function entries(day: string, jobId?: string): Promise<SupervisionEntry[]> {
      const found: SupervisionEntry[] = [];
      for await (const entry of log.entries(day, jobId)) found.push(entry);
      return found;
    }

    test("a sweep and its decisions stand under its day, the oldest first, also those made after midnight", async () => {
      const sweep = sweepOf("2026-01-31T23:59:59.000Z");
      const late = decisionOf(sweep.sweepId, "job-2", "2026-02-01T00:00:01.000Z");
      const early = decisionOf(sweep.sweepId, "job-1", "2026-01-31T23:59:59.500Z");
      await log.decisions([late, early]);
      await log.sweep(sweep);
      expect(await entries("2026-01-31")).toMatchObject([
        { kind: "sweep", ...sweep },
        { kind: "decision", ...early },
        { kind: "decision", ...late },
      ]);
      expect(await entries("2026-02-01")).toEqual([]);
    });

    test("as many decisions as one write may have stand there", async () => {
      const { sweepId, at } = sweepOf("2026-02-15T12:00:00.000Z");
      const made = Array.from({ length: MOST_DECISIONS }, (_, place) => decisionOf(sweepId, `job-${place}`, at));
      await log.decisions(made);
      await log.decisions([]);
      expect(await entries("2026-02-15")).toHaveLength(MOST_DECISIONS);
      expect(await entries("2026-02-15", "job-7")).toEqual([expect.objectContaining({ kind: "decision", ...made[7] })]);
    });

    test("what is written twice, because the first answer was lost, stands there once", async () => {
      const sweep = sweepOf("2026-03-01T12:00:00.000Z");
      const decision = decisionOf(sweep.sweepId, "job-1", sweep.at);
      for (let time = 0; time < 2; time += 1) {
        await log.sweep(sweep);
        await log.decisions([decision]);
      }
      expect(await entries("2026-03-01")).toHaveLength(2);
    });

    test("a late reply that comes again stands there once, and another one beside it", async () => {
      const late = { jobId: "job-8", attempt: 1, step: "hotel", reason: "it came after complete-by" };
      for (const seconds of [1, 2, 3]) await log.lateReply({ at: `2026-05-01T12:00:0${seconds}.000Z`, ...late });
      await log.lateReply({ at: "2026-05-01T12:00:00.000Z", ...late, attempt: 2 });
      expect(await entries("2026-05-01", "job-8")).toMatchObject([
        { ...late, attempt: 2 },
        { ...late, at: "2026-05-01T12:00:03.000Z" },
      ]);
    });

    test("what an operator did and replies that came too late stand beside, and can be had for one job", async () => {
      const at = "2026-04-01T12:00:00.000Z";
      const action = {
        at,
        operator: "ada@example.org",
        action: "resubmit",
        jobId: "job-9",
        reason: "card renewed",
        outcome: "applied",
        before: { ...BEFORE, processState: "Error" },
        after: AFTER,
      } as const;
      const late = {
        at: "2026-04-01T12:00:01.000Z",
        jobId: "job-9",
        attempt: 1,
        step: "takePayment",
        reason: "attempt 2 holds it",
      };
      await log.operatorAction(action);
      await log.operatorAction({ ...action, jobId: null, action: "purge" });
      await log.lateReply(late);
      await log.sweep(sweepOf(at));
      expect(await entries("2026-04-01")).toHaveLength(4);
      expect(await entries("2026-04-01", "job-9")).toMatchObject([
        { kind: "operatorAction", ...action },
        { kind: "lateReply", ...late },
      ]);
    });
  });
}
