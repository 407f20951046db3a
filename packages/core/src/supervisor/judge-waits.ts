// Why steps of an overdue record were not taken up (P26): there is too much to do, or nobody takes their agents' work.

import { stepOfRun } from "../domain/definition/items.ts";
import type { Workflow } from "../domain/definition/workflow.ts";
import { expiresAt } from "../domain/record/due.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { prolonged } from "../domain/record/wait.ts";
import { endingWaits, type UntakenRuns, waitingRuns } from "../domain/recovery/recovery.ts";
import { runKey } from "../domain/steps/attempt.ts";
import type { ProlongedWait } from "../domain/steps/verdicts.ts";
import type { Availability } from "../scheduler/admission/agent-presence.ts";
import type { Ports } from "../scheduler/ports.ts";

/** The waits for services that would be over, and go on. Costs nothing unless there is one that would. @throws if the store does not answer */
export async function prolongedWaits(
  record: StateRecord,
  overdueBefore: string,
  now: string,
  { presence, absences }: Pick<Ports, "presence" | "absences">,
): Promise<readonly ProlongedWait[]> {
  const away = absences.last();
  const { dueAt = now } = record;
  const waits = await Promise.all(
    endingWaits(record, overdueBefore).map(async ({ step, direction, run: before }) => {
      const pauses = await presence.pausesOf(record.steps[step]?.agent ?? "");
      const run = prolonged(before, { now, dueAt, pauses, away });
      const isFirst =
        before.accepted?.stoodStillUntil === undefined || run?.accepted?.givenAgain !== before.accepted.givenAgain;
      return run ? [{ step, direction, run, isFirst }] : [];
    }),
  );
  return waits.flat();
}

interface WaitsJudged extends UntakenRuns {
  /** How many jobs like this one a sweep may schedule again, if no failure is counted. */
  readonly quota: Quota;
}

type Quota = "all" | "few" | "none";

/**
 * A further attempt helps if an agent crashed or is back. It adds to an engine's backlog, and the record does not show which it is: then a sweep tries
 * a few. A request on an agent's queue has expired, so another one adds to nothing. While the agent is paused, no attempt can help.
 */
const QUOTA = {
  paused: "none",
  unknown: "few",
  working: "few",
  back: "all",
  absent: "all",
} as const satisfies Record<Availability, Quota>;
const SLOWEST_FIRST = ["none", "few", "all"] as const satisfies readonly Quota[];

/** Costs nothing unless a step of the record is overdue that was not taken up. @throws if the store does not answer */
export async function judgeWaits(
  record: StateRecord,
  overdueBefore: string,
  workflow: Workflow,
  { presence, timing }: Pick<Ports, "presence" | "timing">,
): Promise<WaitsJudged> {
  const judged = await Promise.all(
    waitingRuns(record, overdueBefore).map(async (waiting) => {
      const { step, run } = waiting;
      const windowMs = Date.parse(expiresAt(run)) - Date.parse(run.scheduledAt ?? expiresAt(run));
      const availability = await presence.availability(record.steps[step]?.agent ?? "", windowMs);
      const isUntaken = availability === "absent" && run.waitCount + 1 >= timing.mostTimesUntaken;
      const isByQueue = workflow.steps.find(({ name }) => name === stepOfRun(step))?.transport === "queue";
      const quota = isByQueue && availability !== "paused" ? "all" : QUOTA[availability];
      // Once resubmitted it has as many more.
      const isGivenUp = availability !== "paused" && (run.waitCount + 1) % timing.mostTimesRescheduled === 0;
      return { key: runKey(waiting), quota, isUntaken, isGivenUp };
    }),
  );
  return {
    untaken: new Set(judged.flatMap(({ key, isUntaken }) => (isUntaken ? [key] : []))),
    givenUp: new Set(judged.flatMap(({ key, isGivenUp }) => (isGivenUp ? [key] : []))),
    quota: SLOWEST_FIRST.find((quota) => judged.some((one) => one.quota === quota)) ?? "all",
  };
}
