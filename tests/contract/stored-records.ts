// What every implementation of the state store does with records of other versions of the app.

import {
  claimed,
  claimUnread,
  NewerSchema,
  type NextStep,
  NOT_STARTED,
  RECORD_VERSION,
  recover,
  type StateRecord,
  type StepRecord,
  scheduled,
  writeOf,
} from "@scheduler-agent-supervisor/core/domain";
import type { JobStore } from "@scheduler-agent-supervisor/core/store";
import type { JobSearch } from "@scheduler-agent-supervisor/operator/adapters";
import { beforeAll, describe, expect, test } from "vitest";
import { type StoredRecord, storedRecord, storedRecords, UNKNOWN } from "../stored-records/stored-records.ts";
import { NOON, SCHEDULING } from "../support/orders.ts";

interface Planted {
  readonly store: JobStore;
  readonly search: Pick<JobSearch, "list">;
  readonly stored: (orderId: string) => Promise<StoredRecord | undefined>;
}

const claimOf = (record: StateRecord, next: readonly NextStep[] = []) =>
  writeOf(claimUnread(record, claimed(record, next, "holder", NOON))) ?? expect.fail("it is no single write");

/** @param open a store with these documents in it */
export function storedRecordsContract(
  name: string,
  open: (documents: readonly StoredRecord[], onNewer: (orderId: string) => void) => Promise<Planted>,
): void {
  describe(`records of other versions: ${name}`, () => {
    const newer = {
      ...storedRecord("pending"),
      jobId: "newer",
      schemaVersion: RECORD_VERSION + 1,
      steps: ["as nobody knows"],
    };
    const forPatch = { ...storedRecord("pending"), jobId: "patch" };
    const forReplace = { ...storedRecord("in hand"), jobId: "replace" };
    const left: string[] = [];
    let planted: Planted;

    beforeAll(async () => {
      const samples = storedRecords.map(({ record }) => record);
      planted = await open([...samples, forPatch, forReplace, newer], (orderId) => left.push(orderId));
    });

    const read = async (orderId: string): Promise<StateRecord> => {
      const found = await planted.store.state(orderId);
      if (!found) throw new Error(`no ${orderId}`);
      return found.record;
    };

    test.each(storedRecords)("version 0, $name: is read as today's, and keeps what is not known", async (one) => {
      const record = await read(one.record.jobId);
      expect(record).toMatchObject({ ...one.record, schemaVersion: RECORD_VERSION });
      for (const step of Object.values(record.steps)) {
        expect(step).toMatchObject({ ...UNKNOWN, generation: expect.any(Number) });
        for (const run of [step, step.compensation]) {
          if (run) expect(Object.keys(run)).toEqual(expect.arrayContaining(Object.keys(NOT_STARTED)));
        }
      }
    });

    test("version 0: what was Running is taken up, and may have had its effect", async () => {
      const { takePayment } = (await read("v0-in-hand")).steps;
      expect(takePayment).toMatchObject({ state: "Running", waitCount: 0, scheduledAt: takePayment?.startedAt });
      expect(takePayment?.startBy).toBe(takePayment?.completeBy);
      expect((await read("v0-retried")).steps["takePayment"]?.scheduledAt).not.toBeNull();
      expect((await read("v0-compensation-in-hand")).steps["takePayment"]?.compensation).toMatchObject({
        state: "Running",
        waitCount: 0,
      });
    });

    test("version 0: a change is made, and keeps what is not known", async () => {
      const orderId = "patch";
      const before = await read(orderId);
      const record = before.steps["reserveStock"] as StepRecord;
      const times = { transport: "activity", completeWithin: "PT10S" } as const;
      const level = [scheduled({ ...times, name: "reserveStock", record }, 1, "forward", NOON, SCHEDULING)];
      const written = await planted.store.change(orderId, claimOf(before, level));
      expect(written).toMatchObject({ kind: "written", record: { processState: "Processing", ...UNKNOWN } });
      const stored = await planted.stored(orderId);
      expect(stored).toMatchObject({
        ...UNKNOWN,
        schemaVersion: RECORD_VERSION,
        steps: { reserveStock: { state: "Scheduled", ...UNKNOWN }, takePayment: { waitCount: 0, ...UNKNOWN } },
      });
    });

    const SWEEPING = { now: NOON, overdueBefore: "2030-01-01T00:00:00.000Z", claimWithinMs: 60_000 };

    test("version 0: a record is replaced, and keeps what is not known", async () => {
      const found = await planted.store.state("replace");
      if (!found) throw new Error("no record");
      const next = recover(found.record, { kind: "retry", step: "takePayment", failures: 1 }, SWEEPING);
      expect(await planted.store.replace(found, next)).toMatchObject({ kind: "written" });
      expect(await planted.stored("replace")).toMatchObject({
        ...UNKNOWN,
        schemaVersion: RECORD_VERSION,
        steps: { takePayment: { state: "NotStarted", retryCount: 1, ...UNKNOWN } },
      });
    });

    test("a newer record is left alone and reported: it is neither read nor changed", async () => {
      const before = await planted.stored("newer");
      await expect(planted.store.state("newer")).rejects.toBeInstanceOf(NewerSchema);
      const write = claimOf(await read("patch"));
      await expect(planted.store.change("newer", write)).rejects.toThrow(
        /record of newer was written by a newer version/,
      );
      expect(await planted.stored("newer")).toEqual(before);
      expect(left).toContain("newer");
    });

    test("what is due is found whatever its version, but for newer records, which are reported", async () => {
      left.length = 0;
      const due: StateRecord[] = [];
      for await (const { record } of planted.store.due("2030-01-01T00:00:00.000Z")) due.push(record);
      const expected = storedRecords.filter(({ record }) => record["dueAt"] !== undefined);
      expect(due.map(({ jobId: orderId }) => orderId)).toEqual(
        expect.arrayContaining(expected.map((one) => one.record.jobId)),
      );
      expect(new Set(due.map(({ schemaVersion }) => schemaVersion))).toEqual(new Set([RECORD_VERSION]));
      expect(left).toEqual(["newer"]);
    });

    test("all are listed and counted", async () => {
      const { jobs: orders } = await planted.search.list({ limit: 100 });
      for (const { record } of storedRecords) {
        const listed = orders.find(({ jobId: orderId }) => orderId === record.jobId);
        expect(listed).toMatchObject({ schemaVersion: 0, processState: record["processState"] });
        expect(Object.keys(listed?.steps ?? {})).toEqual(Object.keys(record["steps"] as object));
      }
      expect(orders.find(({ jobId: orderId }) => orderId === "newer")).toMatchObject({
        schemaVersion: RECORD_VERSION + 1,
        steps: {},
      });
      expect(
        (await planted.search.list({ limit: 100, step: "takePayment" })).jobs.map(({ jobId: orderId }) => orderId),
      ).toEqual(expect.arrayContaining(["v0-in-hand", "v0-compensation-in-hand"]));
      const held = storedRecords.filter(({ record }) => record["processState"] === "Processing");
      const span = { from: "2000-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" };
      expect(await planted.store.countInFlight(span)).toBeGreaterThanOrEqual(held.length);
    });
  });
}
