// The contract of what retention asks of the state store: every implementation passes this one suite.

import { beforeAll, describe, expect, test } from "vitest";
import { REMOVED } from "../../src/domain/content/job.ts";
import { addToOutbox } from "../../src/domain/record/outbox.ts";
import { closed } from "../../src/domain/record/retention.ts";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import type { ClosingStore, JobStore, Versioned } from "../../src/store/job-store.ts";
import { type Goods, goodsContract } from "../goods.ts";
import { NOON, sampleJob, sampleRecord } from "../jobs.ts";
import { oneWrite } from "../records.ts";

const DAY_MS = 86_400_000;

const SECRETS = goodsContract.secrets;

export function closingStoreContract(name: string, open: () => Promise<JobStore & ClosingStore>): void {
  describe(`closing store: ${name}`, () => {
    let store: JobStore & ClosingStore;
    let made = 0;

    beforeAll(async () => {
      store = await open();
    });

    async function stored(changes: Partial<StateRecord>): Promise<Versioned> {
      made += 1;
      const record = { ...sampleRecord(`closing-${name}-${made}`), ...changes };
      await store.create(sampleJob(record.jobId), record);
      return read(record.jobId);
    }

    async function read(jobId: string): Promise<Versioned> {
      const versioned = await store.state(jobId);
      if (!versioned) throw new Error(`no job ${jobId}`);
      return versioned;
    }

    const close = (one: Versioned) =>
      store.close(one, closed(one.record, NOON, DAY_MS), {
        revisions: one.record.jobRevision,
        keepMs: DAY_MS,
        secrets: SECRETS,
      });

    test("over finds what is over since before the instant, of one state, the longest first, and nothing else", async () => {
      const late = await stored({ processState: "Processed", overAt: "2020-01-02T00:00:00.000Z" });
      const later = await stored({ processState: "Processed", overAt: "2020-01-01T00:00:00.000Z" });
      await stored({ processState: "Processed", overAt: "2099-01-01T00:00:00.000Z" });
      await stored({ processState: "Processed", overAt: null });
      const rests = await stored({ processState: "Error", overInErrorAt: "2020-01-01T00:00:00.000Z" });
      await stored({});
      const found = async () => {
        const ids: string[] = [];
        for await (const one of store.over("Processed", NOON)) ids.push(one.record.jobId);
        return ids;
      };
      expect(await found()).toEqual([later.record.jobId, late.record.jobId]);
      await close(later);
      expect(await found()).toEqual([late.record.jobId]);
      const inError: string[] = [];
      for await (const one of store.over("Error", NOON)) inError.push(one.record.jobId);
      expect(inError).toEqual([rests.record.jobId]);
    });

    test("close removes the secrets of each revision, and is rejected at another version", async () => {
      const first = await stored({ processState: "Processed", overAt: NOON });
      const { jobId } = first.record;
      const edited = sampleJob(jobId, { currency: "USD" });
      const revised = await store.revise(first, { ...first.record, jobRevision: 2 }, edited);
      if (revised.kind !== "written") throw new Error("the revision was rejected");
      expect(await close(first)).toEqual({ kind: "rejected" });
      expect(await store.job(jobId, 2)).toEqual(edited);
      expect(await close(revised)).toMatchObject({ kind: "written", record: { jobRevision: 2 } });
      expect(await store.job(jobId, 1)).toEqual(sampleJob(jobId, { paymentToken: REMOVED }));
      expect(await store.job(jobId, 2)).toEqual({ ...edited, paymentToken: REMOVED });
      const { record } = await read(jobId);
      expect(record.keptUntil).toBe("2026-01-02T12:00:00.000Z");
      expect(record).not.toHaveProperty("overAt");
    });

    test("erase removes the record and each revision of the content, and is rejected at another version", async () => {
      const first = await stored({ processState: "Processed", overAt: NOON });
      const { jobId } = first.record;
      const revised = await store.revise(first, { ...first.record, jobRevision: 2 }, sampleJob(jobId));
      if (revised.kind !== "written") throw new Error("the revision was rejected");
      expect(await store.erase(first)).toBe("rejected");
      expect(await store.job(jobId, 2)).toEqual(sampleJob(jobId));
      expect(await store.erase(revised)).toBe("erased");
      expect(await store.state(jobId)).toBeUndefined();
      for (const revision of [1, 2]) await expect(store.job(jobId, revision)).rejects.toThrow(jobId);
      expect(await store.erase(revised)).toBe("rejected");
    });

    test("a guarded write with a lifetime is all or nothing", async () => {
      const { record } = await stored({ processState: "Processed", overAt: NOON });
      const { jobId } = record;
      const lifetime = { revisions: 1, keepMs: DAY_MS, secrets: SECRETS };
      const write = oneWrite(addToOutbox(record, [{ status: "Completed", attempt: 1, at: NOON }], NOON).unread);
      const wrong = { ...write, guard: { ...write.guard, attempt: 2 }, lifetime };
      expect(await store.change(jobId, wrong)).toEqual({ kind: "rejected" });
      expect(((await store.job(jobId, 1)) as Goods).paymentToken).toBe(sampleJob().paymentToken);
      expect(await store.change(jobId, { ...write, lifetime })).toMatchObject({ kind: "written" });
      expect(((await store.job(jobId, 1)) as Goods).paymentToken).toBe(REMOVED);
    });
  });
}
