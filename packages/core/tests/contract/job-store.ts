// The contract of the state store's port: every implementation passes this one suite.

import { beforeAll, describe, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { Direction, StateRecord } from "../../src/domain/record/state-record.ts";
import { recover } from "../../src/domain/recovery/recovery.ts";
import type { StepTask } from "../../src/domain/steps/attempt.ts";
import { skippedFor } from "../../src/domain/steps/skip.ts";
import { marked } from "../../src/domain/steps/step-end.ts";
import { accepted, scheduled, takenUp } from "../../src/domain/steps/step-run.ts";
import { expiryUnread, markUnread } from "../../src/domain/steps/unread.ts";
import { change } from "../../src/scheduler/change.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { CHAIN, NOON, SCHEDULING, sampleJob, sampleRecord } from "../jobs.ts";
import { claimWrite, endWrites, notStarted, oneWrite } from "../records.ts";

/** A step may be called what is a keyword of the store's own language. */
const KEYWORDS = ["job", "value", "group"] as const;
const OF_KEYWORDS: Workflow = {
  ...CHAIN,
  steps: KEYWORDS.map((name) => {
    const agent = "inventory";
    return { name, agent, operation: "reserve", after: [], completeWithin: "PT10S", compensation: "manual" };
  }),
};

const LONG_AGO = "2000-01-01T00:00:00.000Z";
const FAR_OFF = "2100-01-01T00:00:00.000Z";
const PLANNED = { transport: "activity", completeWithin: "PT10S" } as const;

export function jobStoreContract(name: string, open: () => Promise<JobStore>): void {
  describe(`job store: ${name}`, () => {
    let store: JobStore;
    let made = 0;

    beforeAll(async () => {
      store = await open();
    });

    const SWEEPING = { now: NOON, overdueBefore: NOON, claimWithinMs: 120_000 };

    async function submitted(workflow: Workflow = CHAIN): Promise<StateRecord> {
      made += 1;
      const record = sampleRecord(`${name}-${made}`, workflow);
      expect(await store.create(sampleJob(record.jobId), record)).toEqual({ kind: "created" });
      return record;
    }

    function claimOf(record: StateRecord, names: readonly string[], direction: Direction = "forward") {
      const level = names.map((name) => {
        const step = record.steps[name];
        if (!step) throw new Error(`no step ${name}`);
        return scheduled({ ...PLANNED, name, record: step }, 1, direction, NOON, SCHEDULING);
      });
      return claimWrite({ ...record, direction }, level, `${record.jobId}-1`);
    }

    async function claimed(...names: string[]): Promise<StateRecord> {
      const record = await submitted();
      const taken = await store.change(record.jobId, claimOf(record, names));
      if (taken.kind !== "written") throw new Error("the claim was rejected");
      return taken.record;
    }

    function taskOf(record: StateRecord, step: string, siblings: string[] = []): StepTask {
      const { jobId, direction, workflow, priority, steps } = record;
      const own = steps[step];
      if (!own) throw new Error(`no step ${step}`);
      return {
        ...{ jobId: jobId, direction, workflow, priority, step, join: { siblings, next: [] }, record: own },
        ...{
          attempt: 1,
          lockedBy: `${jobId}-1`,
          jobRevision: 1,
          agent: own.agent,
          operation: "x",
          transport: "activity",
          startBy: NOON,
          completeBy: NOON,
          completeWithin: "PT10S",
        },
        ...{
          results: {},
          isAlone: true,
          isAwaited: true,
          reply: { replyTo: null, replyToSessionId: null, correlationId: "", traceparent: null },
        },
      };
    }

    const ending = (task: StepTask) => {
      const among = task.join && task.join.siblings.length > 0;
      const writes = endWrites(task);
      const first = writes[0] ?? expect.fail("the task's step is not in hand");
      return { among: among ? first : undefined, last: writes[among ? 1 : 0] ?? first };
    };
    const end = (task: StepTask) => store.change(task.jobId, ending(task).last);
    const endAmong = (task: StepTask) => store.change(task.jobId, ending(task).among ?? expect.fail("it is alone"));

    test("what is created can be read, job and record", async () => {
      const record = await submitted();
      expect(await store.job(record.jobId, 1)).toEqual(sampleJob(record.jobId));
      expect((await store.state(record.jobId))?.record).toMatchObject(record);
    });

    test("a second create of one id is a duplicate, answers what stands there and changes nothing", async () => {
      const record = await submitted();
      const again = await store.create(sampleJob(record.jobId, { currency: "USD" }), {
        ...record,
        replyTo: "other",
      });
      expect(again).toMatchObject({
        kind: "duplicate",
        job: { currency: "EUR" },
        record: { replyTo: "replies-shop" },
      });
      expect((await store.state(record.jobId))?.record.replyTo).toBe("replies-shop");
    });

    test("a job that is not there: no state, and asking for the job throws", async () => {
      expect(await store.state("nowhere")).toBeUndefined();
      await expect(store.job("nowhere", 1)).rejects.toThrow("nowhere");
    });

    test("P4 of fifty claims at once exactly one is taken", async () => {
      const record = await submitted();
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, () => store.change(record.jobId, claimOf(record, ["reserveStock"]))),
      );
      expect(outcomes.filter(({ kind }) => kind === "written")).toHaveLength(1);
      const stored = (await store.state(record.jobId))?.record;
      expect(stored).toMatchObject({ processState: "Processing", lockedBy: `${record.jobId}-1` });
      expect(stored?.history).toHaveLength(2);
    });

    test("a guarded write of a step that is not in hand is rejected and changes nothing", async () => {
      const record = await claimed("reserveStock");
      const { reserveStock } = record.steps;
      const task = { ...taskOf(record, "takePayment"), record: reserveStock ?? notStarted };
      expect(await end(task)).toEqual({ kind: "rejected" });
      expect((await store.state(record.jobId))?.record).toMatchObject(record);
    });

    test("the last step's write concludes the job and removes dueAt", async () => {
      const record = await claimed("reserveStock");
      const task = taskOf(record, "reserveStock");
      expect(await end(task)).toMatchObject({
        kind: "written",
        record: { processState: "Processed", lockedBy: null, completeBy: null },
      });
      expect((await store.state(record.jobId))?.record).not.toHaveProperty("dueAt");
    });

    test("of two steps side by side exactly the last to end closes their level, in either job and at once", async () => {
      for (const [first, second] of [
        ["reserveStock", "takePayment"],
        ["takePayment", "reserveStock"],
      ] as const) {
        const record = await claimed(first, second);
        const [one, other] = [taskOf(record, first, [second]), taskOf(record, second, [first])];
        expect(await end(one)).toEqual({ kind: "rejected" });
        expect(await endAmong(one)).toMatchObject({ kind: "written" });
        expect(await endAmong(other)).toEqual({ kind: "rejected" });
        expect(await end(other)).toMatchObject({ kind: "written" });
      }
      const record = await claimed("reserveStock", "takePayment");
      const tasks = [taskOf(record, "reserveStock", ["takePayment"]), taskOf(record, "takePayment", ["reserveStock"])];
      const among = await Promise.all(tasks.map(endAmong));
      expect(among.map(({ kind }) => kind).sort()).toEqual(["rejected", "written"]);
    });

    test("the same holds for compensations, whose records may not exist yet", async () => {
      const record = await submitted();
      const taken = await store.change(record.jobId, claimOf(record, ["reserveStock"], "compensate"));
      if (taken.kind !== "written") throw new Error("the claim was rejected");
      const next = [{ ...PLANNED, name: "arrangeShipping", record: notStarted }];
      const join = { siblings: ["takePayment"], next };
      const task = { ...taskOf(taken.record, "reserveStock"), direction: "compensate", join } as const;
      expect(await end(task)).toEqual({ kind: "rejected" });
      expect(await endAmong(task)).toMatchObject({ kind: "written" });
    });

    test("a step that is skipped is waited for no more by those beside it", async () => {
      const { jobId, steps } = await claimed("takePayment", "arrangeShipping");
      const read = await store.state(jobId);
      const { arrangeShipping } = steps;
      if (!read || !arrangeShipping) throw new Error("there is no such job");
      const skipped = skippedFor(arrangeShipping, { cause: "rejected", message: "no" }, false, NOON);
      const written = await store.replace(read, { ...read.record, steps: { ...steps, arrangeShipping: skipped } });
      if (written.kind === "rejected") throw new Error("nobody else writes");
      const task = taskOf(written.record, "takePayment", ["arrangeShipping"]);
      expect((await endAmong(task)).kind).toBe("rejected");
      expect((await end(task)).kind).toBe("written");
    });

    test.each(["forward", "compensate"] as const)("a step may have a keyword's name: %s", async (direction) => {
      const record = await submitted(OF_KEYWORDS);
      const taken = await store.change(record.jobId, claimOf(record, KEYWORDS, direction));
      if (taken.kind !== "written") throw new Error("the claim was rejected");
      const taskAmong = (step: string): StepTask => {
        const siblings = KEYWORDS.filter((name) => name !== step);
        const next = direction === "forward" ? [] : [{ ...PLANNED, name: "value", record: notStarted }];
        return { ...taskOf(taken.record, step, siblings), direction, join: { siblings, next } };
      };
      const [first, second, last] = KEYWORDS.map(taskAmong) as [StepTask, StepTask, StepTask];
      for (const task of [first, second]) {
        expect(await endAmong(task)).toMatchObject({
          kind: "written",
          record: { processState: "Processing" },
        });
      }
      const processState = direction === "forward" ? "Processed" : "Processing";
      expect(await end(last)).toMatchObject({ kind: "written", record: { processState } });
    });

    test("P12 a replace at the version read is taken once; the second supervisor's is rejected", async () => {
      const record = await submitted();
      const read = await store.state(record.jobId);
      if (!read) throw new Error("no state record");
      const next = recover(read.record, { kind: "repeatStart" }, SWEEPING);
      expect(await store.replace(read, next)).toMatchObject({ kind: "written" });
      expect(await store.replace(read, next)).toEqual({ kind: "rejected" });
    });

    test("what an agent of the app keeps in the record, and the core does not know, outlives the core's writes", async () => {
      const { jobId } = await submitted();
      const read = await store.state(jobId);
      if (!read) throw new Error("no state record");
      const own = { ...read.record, ownOfTheApp: { "job-2": 700 } };
      const written = await store.replace(read, own);
      if (written.kind !== "written") throw new Error("the record was not written");
      await store.change(jobId, claimWrite(written.record, [], "holder"));
      const after = await store.state(jobId);
      if (!after) throw new Error("no state record");
      expect(after.record).toMatchObject({ processState: "Processing", ownOfTheApp: { "job-2": 700 } });
      await store.replace(after, recover(after.record, { kind: "later", at: NOON }, SWEEPING));
      expect((await store.state(jobId))?.record).toMatchObject({ ownOfTheApp: { "job-2": 700 } });
    });

    test("P26 counts and reads the jobs that an attempt holds", async () => {
      const span = { from: LONG_AGO, to: FAR_OFF };
      const before = await store.countInFlight(span);
      await submitted();
      expect(await store.countInFlight(span)).toBe(before);
      const record = await claimed("reserveStock");
      expect(await store.countInFlight(span)).toBe(before + 1);
      const read = await store.inFlight(span, 100_000);
      expect(read).toHaveLength(before + 1);
      const { workflow, priority, direction, attempt, steps } = record;
      expect(read).toContainEqual(expect.objectContaining({ workflow, priority, direction, attempt, steps }));
      expect(await store.inFlight(span, 1)).toHaveLength(1);
      // Overdue for so long that nobody is at work on it.
      expect(await store.countInFlight({ ...span, from: "2026-01-01T12:00:30.001Z" })).toBe(0);
      const task = taskOf(record, "reserveStock");
      await end(task);
      expect(await store.countInFlight(span)).toBe(before);
      // Its service does it later: nobody is at work on it here.
      const awaits = await claimed("reserveStock");
      const route = { endpoint: "http://inventory/", because: "only one" };
      const mark = accepted("forward", { at: NOON, reference: "r-7" }, route, "2026-01-11T12:00:00.000Z");
      const marking = markUnread(taskOf(awaits, "reserveStock"), mark, NOON).map(oneWrite);
      expect(await store.change(awaits.jobId, marking[0] ?? expect.fail())).toMatchObject({
        record: { dueAt: "2026-01-11T12:00:00.000Z", steps: { reserveStock: { state: "Awaiting" } } },
      });
      expect(await store.countInFlight({ ...span, to: "2026-01-01T12:10:00.000Z" })).toBe(before);
    });

    test("P31 counts the jobs that attempts hold by fairness key", async () => {
      const span = { from: LONG_AGO, to: FAR_OFF };
      const before = (await store.countByKey(span)).get("") ?? 0;
      const held: StateRecord[] = [];
      for (const fairnessKey of ["tea", "tea", "mug", undefined]) {
        const record = await claimed("reserveStock");
        const read = (await store.state(record.jobId)) ?? expect.fail("no state record");
        const written = await store.replace(read, { ...read.record, ...(fairnessKey && { fairnessKey }) });
        if (written.kind === "written") held.push(written.record);
      }
      const byKey = await store.countByKey(span);
      expect([byKey.get("tea"), byKey.get("mug"), byKey.get("")]).toEqual([2, 1, before + 1]);
      expect([...byKey.values()].reduce((sum, jobs) => sum + jobs)).toBe(await store.countInFlight(span));
      for (const task of held.map((record) => taskOf(record, "reserveStock"))) await end(task);
      expect((await store.countByKey(span)).has("tea")).toBe(false);
    });

    test("why an agent was not done in time is noted, forward and in a compensation, while the step is in hand", async () => {
      const expiry = { at: NOON, attempt: 1, tries: 2, endpoint: "http://x/", message: "HTTP 503" };
      const record = await claimed("reserveStock");
      const task = taskOf(record, "reserveStock");
      const note = (task: StepTask, said = expiry) => store.change(task.jobId, oneWrite(expiryUnread(task, said)));
      const noted = await note(task);
      expect(noted).toMatchObject({ record: { steps: { reserveStock: { state: "Scheduled", expiry } } } });
      if (noted.kind !== "written") throw new Error("the note was rejected");
      await endAmong(taskOf(noted.record, "reserveStock", ["takePayment"]));
      expect(await note(task, { ...expiry, tries: 9 })).toEqual({ kind: "rejected" });

      const read = await store.state(record.jobId);
      const step = read?.record.steps["reserveStock"];
      if (!read || !step) throw new Error("no state record");
      expect(step.expiry).toEqual(expiry);
      const compensating = scheduled(
        { ...PLANNED, name: "reserveStock", record: step },
        1,
        "compensate",
        NOON,
        SCHEDULING,
      ).record;
      const steps = { ...read.record.steps, reserveStock: compensating };
      await store.replace(read, { ...read.record, direction: "compensate", steps });
      expect(await note({ ...task, direction: "compensate", record: compensating })).toMatchObject({
        record: { steps: { reserveStock: { compensation: { state: "Scheduled", expiry } } } },
      });
    });

    test("P26 a mark that a step was taken up leaves a record due when it is that is due later than the step", async () => {
      const record = await claimed("reserveStock");
      const task = taskOf(record, "reserveStock");
      const read = await store.state(record.jobId);
      if (!read) throw new Error("no state record");
      const extended = "2026-01-01T13:00:00.000Z";
      await store.replace(read, { ...read.record, completeBy: extended, dueAt: extended });
      const completeBy = "2026-01-01T12:00:40.000Z";
      const mark = takenUp("forward", NOON, completeBy);
      const unread = markUnread(task, mark, NOON);
      const [write] = unread.map(oneWrite);
      expect(await store.change(record.jobId, write ?? expect.fail("it is not in hand"))).toEqual({ kind: "rejected" });
      expect(await change(record.jobId, (known) => marked(known, task, mark, NOON), { store }, unread)).toMatchObject({
        kind: "written",
        record: { dueAt: extended, completeBy: extended, steps: { reserveStock: { state: "Running", completeBy } } },
      });
    });
  });
}
