// The contract of the sweep's searches: every implementation of the state store passes this one suite.

import { beforeAll, describe, expect, test } from "vitest";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import { claimOf, claimUnread } from "../../src/domain/steps/claim.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { CHAIN, NOON, SCHEDULING, sampleJob, sampleRecord } from "../jobs.ts";
import { oneWrite } from "../records.ts";

export function dueStoreContract(name: string, open: () => Promise<JobStore>): void {
  describe(`searches of the sweep: ${name}`, () => {
    let store: JobStore;
    let made = 0;

    beforeAll(async () => {
      store = await open();
    });

    async function submitted(): Promise<StateRecord> {
      made += 1;
      const record = sampleRecord(`due-${name}-${made}`);
      await store.create(sampleJob(record.jobId), record);
      return record;
    }

    test("due finds what is due before the instant, the longest overdue first, and nothing else", async () => {
      const records = [await submitted(), await submitted(), await submitted()];
      const [late, later, future] = records.map(({ jobId }) => jobId);
      for (const [jobId, dueAt] of [
        [late, "2020-01-02"],
        [later, "2020-01-03"],
        [future, "2099-01-01"],
      ] as const) {
        const read = await store.state(jobId ?? "");
        if (!read) throw new Error("no state record");
        await store.replace(read, { ...read.record, dueAt });
      }
      const found = async (instant: string) => {
        const due: string[] = [];
        for await (const { record } of store.due(instant)) due.push(record.jobId);
        return due;
      };
      expect(await found("2021-01-01")).toEqual([late, later]);
      const read = await store.state(late ?? "");
      if (!read) throw new Error("no state record");
      const unrecovered = { since: "2020-12-31", lookAgainAt: "2021-01-02", fault: "no workflow" };
      await store.replace(read, { ...read.record, unrecovered });
      expect(await found("2021-01-01")).toEqual([later]);
      expect(await found("2021-01-03")).toEqual([late, later]);
    });

    test("processed finds the Processed jobs that were last changed in that time, and no other", async () => {
      const minute = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
      const [done, open] = [await submitted(), await submitted()];
      for (const [{ jobId }, processState] of [
        [done, "Processed"],
        [open, "Compensated"],
      ] as const) {
        const read = await store.state(jobId);
        if (!read) throw new Error("no state record");
        await store.replace(read, { ...read.record, processState, updatedAt: minute(0) });
      }
      const found = async (from: string, to: string) => {
        const jobs: string[] = [];
        for await (const { record } of store.processed(from, to)) jobs.push(record.jobId);
        return jobs.filter((jobId) => jobId.startsWith(`due-${name}-`));
      };
      expect(await found(minute(-1), minute(1))).toEqual([done.jobId]);
      expect(await found(minute(-5), minute(-1))).toEqual([]);
      expect(await found(minute(1), minute(5))).toEqual([]);
    });

    test("P35 pastDeadline finds what passed its deadline before the instant, the longest past first, and nothing that is closed", async () => {
      const records = await Promise.all(Array.from({ length: 6 }, () => submitted()));
      const [late, later, future, ended, closed, none] = records.map(({ jobId }) => jobId);
      const put = async (jobId: string | undefined, changes: Partial<StateRecord>) => {
        const read = await store.state(jobId ?? "");
        if (!read) throw new Error("no state record");
        await store.replace(read, { ...read.record, ...changes });
      };
      await put(later, { deadlineAt: "2020-01-03", dueAt: "2099-01-01" });
      await put(late, { deadlineAt: "2020-01-02", keptUntil: null });
      await put(future, { deadlineAt: "2099-01-01" });
      await put(ended, { deadlineAt: null });
      await put(closed, { deadlineAt: "2020-01-01", keptUntil: "2099-01-01" });
      await put(none, { dueAt: "2020-01-01" });
      const found = async (instant: string) => {
        const past: string[] = [];
        for await (const { record } of store.pastDeadline(instant)) past.push(record.jobId);
        return past;
      };
      expect(await found("2021-01-01")).toEqual([late, later]);
      await put(late, { unrecovered: { since: "2020-12-31", lookAgainAt: "2021-01-02", fault: "no workflow" } });
      expect(await found("2021-01-01")).toEqual([later]);
      expect(await found("2021-01-03")).toEqual([late, later]);
      await put(late, { processState: "Error", deadlineAt: null });
      expect(await found("2021-01-03")).toEqual([later]);
    });

    test("P35 a job with a deadline ends in a claim with nothing left to do, and its deadline is gone", async () => {
      const { jobId } = await submitted();
      const read = await store.state(jobId);
      if (!read) throw new Error("no state record");
      const pending = { ...read.record, deadlineAt: "2020-01-01T00:00:00.000Z" };
      await store.replace(read, pending);
      const within = { workflow: { ...CHAIN, steps: [] }, now: NOON, scheduling: SCHEDULING, claimWithinMs: 60_000 };
      const written = await store.change(jobId, oneWrite(claimUnread(pending, claimOf(pending, "h", within))));
      expect(written).toMatchObject({ kind: "written", record: { processState: "Processed", deadlineAt: null } });
    });
  });
}
