// Each member of a guard keeps a write from being made (P4): every implementation of the state store passes this one suite.

import { beforeAll, describe, expect, test } from "vitest";
import type { Change, Guard } from "../../src/domain/record/guarded-write.ts";
import {
  type Direction,
  NOT_STARTED,
  type StateRecord,
  type StepRecord,
  type StepRun,
} from "../../src/domain/record/state-record.ts";
import { withRun } from "../../src/domain/steps/step-run.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { NOON, sampleJob, sampleRecord } from "../jobs.ts";

type StepGuard = NonNullable<Guard["step"]>;
type SiblingGuard = NonNullable<Guard["siblings"]>;
type Case<Value> = readonly [what: string, value: Value];

const LATER = "2026-01-01T12:00:00.001Z";
const names = ["takePayment", "arrangeShipping"] as const;

/** For each member: what lets the write of this record pass, and what must not. */
const PASSES = {
  processStates: [["one of several", ["Pending", "Processing"]]],
  lockedBy: [["its holder", "job-1@hub"]],
  attempt: [["its attempt", 2]],
  step: [
    ["its run forward", { name: "reserveStock", direction: "forward", attempt: 1, states: ["Scheduled", "Running"] }],
    ["its compensation", { name: "reserveStock", direction: "compensate", attempt: 2, states: ["Awaiting"] }],
  ],
  siblings: [
    ["all closed forward: completed and skipped", { names, direction: "forward", allDone: true }],
    ["all closed backwards: completed and failed", { names, direction: "compensate", allDone: true }],
    ["one is open forward", { names: [...names, "reserveStock"], direction: "forward", allDone: false }],
    ["one is open backwards", { names: [...names, "reserveStock"], direction: "compensate", allDone: false }],
    ["one has no compensation", { names: ["noCompensation"], direction: "compensate", allDone: false }],
  ],
  dueBy: [["the due time itself", NOON]],
} as const satisfies { readonly [member in keyof Required<Guard>]: readonly Case<Guard[member]>[] };

const FAILS = {
  processStates: [["other states", ["Pending", "Processed", "Error"]]],
  lockedBy: [
    ["another holder", "job-2@hub"],
    ["nobody", null],
  ],
  attempt: [
    ["the attempt before", 1],
    ["the attempt after", 3],
  ],
  step: [
    ["the run of the attempt before", { name: "reserveStock", direction: "forward", attempt: 0, states: ["Running"] }],
    ["the run of the attempt after", { name: "reserveStock", direction: "forward", attempt: 2, states: ["Running"] }],
    ["another state", { name: "reserveStock", direction: "forward", attempt: 1, states: ["Scheduled", "Awaiting"] }],
    ["another step", { name: "takePayment", direction: "forward", attempt: 1, states: ["Running"] }],
    ["a step that is not there", { name: "nothing", direction: "forward", attempt: 1, states: ["Running"] }],
    [
      "the run forward for its compensation",
      { name: "reserveStock", direction: "compensate", attempt: 1, states: ["Running"] },
    ],
    [
      "its compensation in another attempt",
      { name: "reserveStock", direction: "compensate", attempt: 1, states: ["Awaiting"] },
    ],
    [
      "its compensation in another state",
      { name: "reserveStock", direction: "compensate", attempt: 2, states: ["Running"] },
    ],
    ["no compensation", { name: "noCompensation", direction: "compensate", attempt: 1, states: ["Running"] }],
  ],
  siblings: [
    ["all are closed forward", { names, direction: "forward", allDone: false }],
    ["all are closed backwards", { names, direction: "compensate", allDone: false }],
    ["one is open forward", { names: [...names, "reserveStock"], direction: "forward", allDone: true }],
    ["one is open backwards", { names: [...names, "reserveStock"], direction: "compensate", allDone: true }],
    ["one has no compensation", { names: [...names, "noCompensation"], direction: "compensate", allDone: true }],
    ["one failed forward", { names: ["rejected"], direction: "forward", allDone: true }],
  ],
  dueBy: [["an instant before it is due", "2026-01-01T11:59:59.999Z"]],
} as const satisfies { readonly [member in keyof Required<Guard>]: readonly Case<Guard[member]>[] };

const cases = (table: { readonly [member: string]: readonly Case<unknown>[] }) =>
  Object.entries(table).flatMap(([member, all]) => all.map(([what, value]) => [member, what, value] as const));

export function guardsContract(name: string, open: () => Promise<JobStore>): void {
  describe(`guards: ${name}`, () => {
    let store: JobStore;
    let made = 0;

    beforeAll(async () => {
      store = await open();
    });

    function stepIn(...runs: readonly (readonly [Direction, Partial<StepRun>])[]): StepRecord {
      const none: StepRecord = { ...NOT_STARTED, agent: "inventory", result: null, compensation: null, generation: 1 };
      return runs.reduce((step, [direction, run]) => withRun(step, direction, run), none);
    }

    async function stored(changes: Partial<StateRecord> = {}): Promise<StateRecord> {
      made += 1;
      const record: StateRecord = {
        ...sampleRecord(`guards-${name}-${made}`),
        processState: "Processing",
        lockedBy: "job-1@hub",
        attempt: 2,
        dueAt: NOON,
        steps: {
          reserveStock: stepIn(
            ["forward", { state: "Running", attempt: 1 }],
            ["compensate", { state: "Awaiting", attempt: 2 }],
          ),
          takePayment: stepIn(
            ["forward", { state: "Completed", attempt: 1 }],
            ["compensate", { state: "Completed", attempt: 2 }],
          ),
          arrangeShipping: stepIn(["forward", { state: "Skipped" }], ["compensate", { state: "Failed", attempt: 2 }]),
          noCompensation: stepIn(["forward", { state: "Running", attempt: 1 }]),
          rejected: stepIn(["forward", { state: "Failed", attempt: 1 }]),
        },
        ...changes,
      };
      await store.create(sampleJob(record.jobId), record);
      return record;
    }

    const writeOf = (guard: Partial<Guard>) => ({
      guard: { processStates: ["Processing"], ...guard } as Guard,
      changes: [
        { op: "set", path: ["updatedAt"], value: LATER },
        { op: "append", path: ["history"], value: { at: LATER, what: "changed", by: "x" } },
      ] satisfies Change[],
    });

    test.each(cases(PASSES))("%s: %s, and the write is made", async (member, _what, value) => {
      const { jobId } = await stored();
      expect(await store.change(jobId, writeOf({ [member]: value }))).toMatchObject({ kind: "written" });
      expect((await store.state(jobId))?.record).toMatchObject({ updatedAt: LATER });
    });

    test.each(cases(FAILS))("%s: %s, and nothing is changed", async (member, _what, value) => {
      const record = await stored();
      expect(await store.change(record.jobId, writeOf({ [member]: value }))).toEqual({ kind: "rejected" });
      expect((await store.state(record.jobId))?.record).toMatchObject(record);
    });

    test.each(cases(FAILS))("%s: %s, and a batch changes nothing either", async (member, _what, value) => {
      const record = await stored();
      const lifetime = { revisions: 1, keepMs: 86_400_000, secrets: ["paymentToken"] };
      expect(await store.change(record.jobId, { ...writeOf({ [member]: value }), lifetime })).toEqual({
        kind: "rejected",
      });
      expect((await store.state(record.jobId))?.record).toMatchObject(record);
      expect(await store.job(record.jobId, 1)).toEqual(sampleJob(record.jobId));
    });

    test("a record that is not due is due by no instant", async () => {
      const { dueAt: _due, ...rest } = await stored();
      const record = { ...rest, jobId: `${rest.jobId}-not-due` };
      await store.create(sampleJob(record.jobId), record);
      expect(await store.change(record.jobId, writeOf({ dueBy: "2100-01-01T00:00:00.000Z" }))).toEqual({
        kind: "rejected",
      });
    });

    test("all members together: each alone keeps the write from being made", async () => {
      const [step, siblings] = [PASSES.step[0][1] as StepGuard, PASSES.siblings[0][1] as SiblingGuard];
      const all = { lockedBy: "job-1@hub", attempt: 2, step, siblings, dueBy: NOON };
      const { jobId } = await stored();
      for (const [member, , value] of cases(FAILS)) {
        expect(await store.change(jobId, writeOf({ ...all, [member]: value }))).toEqual({ kind: "rejected" });
      }
      expect(await store.change(jobId, writeOf(all))).toMatchObject({ kind: "written" });
    });
  });
}
