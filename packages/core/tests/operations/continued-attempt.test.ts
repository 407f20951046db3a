// An attempt that continues as new (P22): it begins nothing again, and first reads the record, because events may have been lost meanwhile.
import { runOrchestration, type TaskEvent } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { Attempt, StepOutcome } from "../../src/domain/steps/attempt.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { readProgress } from "../../src/scheduler/scheduler-client.ts";
import { NOON_MS } from "../jobs.ts";
import { createWorld } from "../world.ts";

/** It continues whenever it may. */
const WHENEVER = -1e6;
const CHECKED: Workflow = {
  name: "job-fulfilment",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [
    {
      ...{ name: "check", agent: "fraud", operation: "check", after: [], transport: "queue", compensation: "nothing" },
      completeWithin: "PT1M",
    },
  ],
};

function replayed(input: Attempt, events: readonly TaskEvent[]) {
  const { open, continuedWith } = runOrchestration(input, events);
  const of = (kind: string) => open.find((task) => task.kind === kind);
  return { activities: open.filter(({ kind }) => kind === "activity"), of, continuedWith };
}

test("P22 an attempt that continues as new asks no agent again, and reads the record at once", async () => {
  const world = createWorld(NOON_MS, undefined, { workflows: [CHECKED] });
  const claim = await claimJob(await world.submitted(), world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  const input = { ...claim.attempt, historyBytes: WHENEVER };
  const first = replayed(input, []);
  expect(first.activities).toMatchObject([{ name: "askAgent" }]);
  const asked = { task: first.activities[0]?.task ?? -1, kind: "result", value: undefined } as const;
  const fired = { task: first.of("timer")?.task ?? -1, kind: "fired" } as const;
  const { continuedWith } = replayed(input, [asked, fired]);
  if (!continuedWith) throw new Error("it did not continue as new");
  const again = replayed(continuedWith, []);
  expect(again.activities).toEqual([]);
  // Of the model's clock: what it waits for is over, so that it looks now.
  const due = Date.parse((again.of("timer") as { readonly at: string }).at);
  expect(due).toBeLessThan(Date.parse("2026-01-01T12:00:00.000Z"));
  const outcome: StepOutcome = await readProgress({ ...continuedWith, waitsFor: ["check"] }, world);
  const found = { task: again.of("event")?.task ?? -1, kind: "result", value: outcome } as const;
  expect(replayed(continuedWith, [found]).activities).toEqual([]);
});
