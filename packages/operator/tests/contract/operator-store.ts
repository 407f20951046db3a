// The part of the state store's contract that operators stand on: lists, and revisions of a job's content.

import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { JobStore } from "@scheduler-agent-supervisor/core/store";
import { beforeAll, describe, expect, test } from "vitest";
import { type Goods, sampleJob, sampleRecord } from "../../../core/tests/jobs.ts";
import type { JobQuery } from "../../src/store/job-list.ts";
import type { JobSearch } from "../../src/store/job-search.ts";

export interface OperatorStore {
  readonly store: JobStore;
  readonly search: Pick<JobSearch, "list">;
}

export function operatorStoreContract(name: string, open: () => Promise<OperatorStore>): void {
  describe(`job store, for operators: ${name}`, () => {
    let store: JobStore;
    let search: OperatorStore["search"];

    beforeAll(async () => {
      ({ store, search } = await open());
      const instants = ["T10:00:00.000Z", "T11:00:00.000Z", "T11:00:00.000Z", "T11:00:00.000Z", "T12:00:00.000Z"];
      for (const [index, time] of instants.entries()) await put(`listed-${index + 1}`, `2026-01-01${time}`, {});
      const pay = sampleRecord().steps["takePayment"];
      if (!pay) throw new Error("no step takePayment");
      const error = { kind: "rejected", message: "no", step: "takePayment", agent: "payment", at: "" } as const;
      await put("failed-1", "2025-01-01T10:00:00.000Z", {
        processState: "Error",
        error,
        steps: { takePayment: { ...pay, state: "Failed" } },
      });
      await put("running-1", "2025-01-01T09:00:00.000Z", {
        processState: "Processing",
        steps: { takePayment: { ...pay, state: "Running" } },
      });
      await put("returned-1", "2025-01-01T08:00:00.000Z", {
        workflow: { name: "returns", version: 1 },
        keys: { customer: "C-9", returnOf: "listed-1" },
      });
    });

    async function put(jobId: string, createdAt: string, changes: Partial<StateRecord>): Promise<void> {
      await store.create(sampleJob(jobId), { ...sampleRecord(jobId), createdAt, ...changes });
    }

    async function listed(query: Partial<JobQuery>): Promise<string[]> {
      const { jobs } = await search.list({ limit: 100, ...query });
      return jobs.map(({ jobId }) => jobId);
    }

    test("finds jobs by a business key, alone and with other filters; the whole of it, in its own case", async () => {
      const customer = { name: "customer", value: "C-9" } as const;
      expect(await listed({ key: customer })).toEqual(["returned-1"]);
      expect(await listed({ key: { name: "returnOf", value: "listed-1" } })).toEqual(["returned-1"]);
      expect(await listed({ key: { name: "returnOf", value: "C-9" } })).toEqual([]);
      expect(await listed({ key: { name: "customer", value: "c-9" } })).toEqual([]);
      expect(await listed({ key: customer, workflow: "returns", text: "RETURNED" })).toEqual(["returned-1"]);
      expect(await listed({ key: customer, workflow: "job-fulfilment" })).toEqual([]);
      expect((await search.list({ limit: 100, key: customer, workflow: "returns" })).looked).toBeUndefined();
    });

    test("lists the newest first, jobs only, with the state of each step", async () => {
      const page = await search.list({ limit: 100 });
      expect(page.jobs.map(({ createdAt }) => createdAt)).toEqual(
        page.jobs.map(({ createdAt }) => createdAt).sort((a, b) => (a < b ? 1 : -1)),
      );
      expect(page.jobs).toHaveLength(8);
      expect(page.next).toBeUndefined();
      expect(page.jobs.find(({ jobId }) => jobId === "failed-1")).toMatchObject({
        processState: "Error",
        error: { step: "takePayment" },
        steps: { takePayment: "Failed" },
      });
      expect(page.jobs[0]).not.toHaveProperty("history");
    });

    test.each([
      [{ processState: "Error" }, ["failed-1"]],
      [{ kind: "rejected" }, ["failed-1"]],
      [{ kind: "rejected", processState: "Error" }, ["failed-1"]],
      [{ kind: "expired", processState: "Error" }, []],
      [{ workflow: "returns" }, ["returned-1"]],
      [{ workflow: "returns", version: 1 }, ["returned-1"]],
      [{ workflow: "returns", version: 2 }, []],
      [{ step: "takePayment" }, ["failed-1", "running-1"]],
      [{ step: "takePayment", processState: "Processing" }, ["running-1"]],
      [{ text: "FAILED" }, ["failed-1"]],
      [{ text: "request-returned" }, ["returned-1"]],
      [{ text: "%' OR true" }, []],
    ] as const)("filters by %o", async (filter, wanted) => {
      expect(await listed(filter)).toEqual(wanted);
    });

    test.each([1, 2, 3])("pages of %i show each job once, also those of one instant", async (limit) => {
      const seen: string[] = [];
      let page = await search.list({ limit, text: "listed" });
      for (;;) {
        expect(page.jobs.length).toBeLessThanOrEqual(limit);
        expect(seen.length).toBeLessThan(5);
        seen.push(...page.jobs.map(({ jobId }) => jobId));
        if (!page.next) break;
        page = await search.list({ limit, text: "listed", after: page.next });
      }
      expect([...seen].sort()).toEqual(["listed-1", "listed-2", "listed-3", "listed-4", "listed-5"]);
      expect([seen[0], seen[4]]).toEqual(["listed-5", "listed-1"]);
    });

    describe("by time", () => {
      beforeAll(async () => {
        const error = {
          kind: "rejected",
          message: "no",
          step: null,
          agent: null,
          at: "2023-05-04T00:00:00.000Z",
        } as const;
        await put("timed-1", "2023-05-02T00:00:00.000Z", {
          enqueuedAt: "2023-05-01T00:00:00.000Z",
          processState: "Processed",
          overAt: "2023-05-03T00:00:00.000Z",
          updatedAt: "2023-05-05T00:00:00.000Z",
        });
        await put("timed-2", "2023-05-03T00:00:00.000Z", {
          processState: "Error",
          error,
          updatedAt: "2023-05-06T00:00:00.000Z",
        });
        await put("timed-3", "2023-05-04T00:00:00.000Z", { overAt: null, updatedAt: "2023-05-07T00:00:00.000Z" });
        await put("timed-4", "2023-05-05T00:00:00.000Z", {
          processState: "Processed",
          overAt: null,
          updatedAt: "2023-05-08T00:00:00.000Z",
        });
      });

      test.each([
        ["received", 2, 3, ["timed-1"]],
        ["received", 3, undefined, ["timed-4", "timed-3", "timed-2"]],
        ["sent", 1, 2, ["timed-1"]],
        ["sent", 2, 4, ["timed-2"]],
        ["changed", 6, 8, ["timed-3", "timed-2"]],
        ["ended", 3, 5, ["timed-2", "timed-1"]],
        ["ended", 4, 10, ["timed-4", "timed-2"]],
        ["ended", undefined, 4, ["timed-1"]],
      ] as const)("%s from day %s and before day %s", async (of, from, to, wanted) => {
        const day = (at: number | undefined) =>
          at === undefined ? undefined : `2023-05-${String(at).padStart(2, "0")}T00:00:00.000Z`;
        const time = { of, from: day(from), to: day(to ?? 9) } as const;
        expect(await listed({ time, text: "timed" })).toEqual(wanted);
      });

      test("what was received needs no search through the records, in pages neither", async () => {
        const time = { of: "received", from: "2023-05-02T00:00:00.000Z", to: "2023-05-06T00:00:00.000Z" } as const;
        const first = await search.list({ limit: 3, time });
        expect(first.looked).toBeUndefined();
        const second = await search.list({ limit: 3, time, after: first.next });
        const pages = [first, second].map(({ jobs }) => jobs.map(({ jobId }) => jobId));
        expect(pages).toEqual([["timed-4", "timed-3", "timed-2"], ["timed-1"]]);
      });
    });

    test("a revision and its record are written together, once; what was there before stays", async () => {
      await put("edited-1", "2024-01-01T10:00:00.000Z", {});
      const read = await store.state("edited-1");
      if (!read) throw new Error("no state record");
      const revised = { ...read.record, jobRevision: 2 };
      const edit = sampleJob("edited-1", { paymentToken: "tok_new" });
      expect(await store.revise(read, revised, edit)).toMatchObject({ kind: "written", record: { jobRevision: 2 } });
      expect(await store.job("edited-1", 2)).toEqual(edit);
      expect(((await store.job("edited-1", 1)) as Goods).paymentToken).toBe("tok_visa");
      expect(await store.revise(read, revised, edit)).toEqual({ kind: "rejected" });
    });

    test("where the record has changed, neither the revision nor the record is written", async () => {
      await put("edited-2", "2024-01-01T10:00:00.000Z", {});
      const read = await store.state("edited-2");
      if (!read) throw new Error("no state record");
      await store.replace(read, { ...read.record, failureCount: 1 });
      const edit = sampleJob("edited-2", { paymentToken: "tok_new" });
      expect(await store.revise(read, { ...read.record, jobRevision: 2 }, edit)).toEqual({ kind: "rejected" });
      await expect(store.job("edited-2", 2)).rejects.toThrow("revision 2");
      expect((await store.state("edited-2"))?.record).toMatchObject({ jobRevision: 1, failureCount: 1 });
    });

    test("finds what jobs wait for that have not ended: an agent, a step, a person, the time of the next try", async () => {
      const at = "2024-01-01T09:00:00.000Z";
      const pay = sampleRecord().steps["takePayment"];
      if (!pay) throw new Error("no step takePayment");
      const expiry = { at, attempt: 1, tries: 1, endpoint: null, message: "HTTP 401" };
      const job = (jobId: string, run: Partial<typeof pay>, changes: Partial<StateRecord> = {}) =>
        put(jobId, at, { processState: "Pending", ...changes, steps: { takePayment: { ...pay, ...run } } });
      await job("held-a", { state: "NotStarted", expiry });
      await job("held-b", { state: "NotStarted", expiry }, { processState: "Cancelled" });
      await job("held-c", { state: "NotStarted", expiry }, { direction: "compensate", processState: "Processing" });
      await job("asked-a", { state: "Awaiting" }, { processState: "Processing" });
      await job("fresh-a", { state: "NotStarted" });
      const undone = { ...pay, state: "NotStarted" as const, notBefore: at };
      const { agent: _agent, result: _result, compensation: _none, ...compensation } = undone;
      await job(
        "back-a",
        { state: "Completed", compensation },
        { direction: "compensate", processState: "Processing" },
      );
      const time = { of: "received", to: "2024-12-31T00:00:00.000Z" } as const;
      const waiting = async (waitsFor: JobQuery["waitsFor"]) => (await listed({ time, waitsFor })).sort();
      expect(await waiting({ of: "agent", name: pay.agent })).toEqual(["asked-a", "back-a", "held-a"]);
      expect(await waiting({ of: "agent", name: "shipping" })).toEqual([]);
      expect(await waiting({ of: "step", name: "takePayment" })).toEqual(["asked-a", "back-a", "held-a"]);
      expect(await waiting({ of: "step", name: "sendMail" })).toEqual([]);
      expect(await waiting({ of: "person" })).toEqual(["asked-a"]);
      expect(await waiting({ of: "time" })).toEqual(["back-a", "held-a"]);
      const held = { time, step: "takePayment", processState: "Pending" } as const;
      expect(await listed(held), "a held step is where its job stands").toEqual(["held-a"]);
    });
  });
}
