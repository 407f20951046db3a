// Why steps of an overdue record were not taken up (P26): there is too much to do, or nobody takes their agents' work.

import { stepOfRun } from "../domain/definition/items.ts";
import type { Workflow } from "../domain/definition/workflow.ts";
import { instant } from "../domain/duration.ts";
import { expiresAt } from "../domain/record/due.ts";
import { isTakenUp, runsInHand } from "../domain/record/plan.ts";
import type { StateRecord, StepRun } from "../domain/record/state-record.ts";
import { AWAY_AFTER_MS, prolonged } from "../domain/record/wait.ts";
import { expiredRuns } from "../domain/recovery/overdue.ts";
import type { UntakenRuns } from "../domain/recovery/recovery.ts";
import type { ProlongedWait } from "../domain/recovery/verdicts.ts";
import { runKey } from "../domain/steps/attempt.ts";
import { type Ports, startWithinOf } from "../scheduler/ports.ts";

/** The waits for services that would be over, and go on. Costs nothing unless there is one that would. @throws if the store does not answer */
export async function prolongedWaits(
  record: StateRecord,
  overdueBefore: string,
  now: string,
  { presence, absences }: Pick<Ports, "presence" | "absences">,
): Promise<readonly ProlongedWait[]> {
  const away = absences.last();
  const { dueAt = now } = record;
  const ending = expiredRuns(record, overdueBefore).filter(({ run }) => run.state === "Awaiting");
  const waits = await Promise.all(
    ending.map(async ({ step, direction, run: before }) => {
      const pauses = await presence.pausesOf(record.steps[step]?.agent ?? "");
      const run = prolonged(before, { now, dueAt, pauses, away });
      const isFirst =
        before.accepted?.stoodStillUntil === undefined || run?.accepted?.givenAgain !== before.accepted.givenAgain;
      return run ? [{ step, direction, run, isFirst }] : [];
    }),
  );
  return waits.flat();
}

/**
 * The app was away when a step of an agent with a queue had its time: the agent's reply may have come in time, and be in its queue still. It is found
 * once: the record is due later then.
 */
export function mayHaveReplied(
  record: StateRecord,
  workflow: Pick<Workflow, "steps">,
  overdueBefore: string,
  now: number,
): boolean {
  if (record.processState !== "Processing" || now - Date.parse(record.dueAt ?? instant(now)) < AWAY_AFTER_MS)
    return false;
  return runsInHand(record.steps).some(({ step, run }) => expiresAt(run) < overdueBefore && isByQueue(step, workflow));
}

const isByQueue = (run: string, { steps }: Pick<Workflow, "steps">): boolean =>
  steps.find(({ name }) => name === stepOfRun(run))?.transport === "queue";

/** The app itself was away while it waited: nobody could take it up. */
function waitedForApp(run: StepRun, { absences, now }: Pick<Ports, "absences" | "now">): boolean {
  const { until = "" } = absences.last() ?? {};
  const isFoundLate = now() - Date.parse(expiresAt(run)) > AWAY_AFTER_MS;
  return isFoundLate || until > (run.scheduledAt ?? until);
}

interface WaitsJudged extends UntakenRuns {
  /** An operator has paused an agent that it waits for: no further attempt can help. */
  readonly isPaused: boolean;
  /** The engine was seen to be so late that it may still hand all of them out: a further attempt would only add to what it has to do. */
  readonly isQueued: boolean;
  /** Their agents were paused when their time ended, and are not now: they waited for a person, and not because there is too much to do. */
  readonly isResumed: boolean;
}

/** Costs nothing unless a step of the record is overdue that was not taken up. @throws if the store does not answer */
export async function judgeWaits(
  record: StateRecord,
  workflow: Pick<Workflow, "steps">,
  overdueBefore: string,
  ports: Pick<Ports, "presence" | "absences" | "timing" | "now">,
): Promise<WaitsJudged> {
  const { presence, timing } = ports;
  const agentOf = (step: string) => record.steps[step]?.agent ?? "";
  const waits = expiredRuns(record, overdueBefore).filter(({ run }) => !isTakenUp(run));
  const judged = await Promise.all(
    waits.map(async (waiting) => {
      const { step, run } = waiting;
      const scheduledMs = Date.parse(run.scheduledAt ?? expiresAt(run));
      const windowMs = Date.parse(expiresAt(run)) - scheduledMs;
      // The wait before had half of the time. An agent that was seen in it has missed this one alone.
      const beforeMs = run.waitCount > 0 ? (Date.parse(run.startBy ?? expiresAt(run)) - scheduledMs) / 2 : 0;
      const availability = await presence.availability(agentOf(step), windowMs, windowMs + beforeMs);
      const isPaused = availability === "paused";
      const pauses = await presence.pausesOf(agentOf(step));
      const end = expiresAt(run);
      const isResumed = pauses.some(({ from, until = "" }) => from <= end && end <= until);
      const wasPaused = pauses.some(({ from, until = "" }) => from < end && until > (run.scheduledAt ?? ""));
      const isAbsent = availability === "absent" && !wasPaused && !waitedForApp(run, ports);
      const isUntaken = isAbsent && run.waitCount + 1 >= timing.mostTimesUntaken;
      // Once resubmitted it has as many more.
      const isGivenUp = !isPaused && (run.waitCount + 1) % timing.mostTimesRescheduled === 0;
      // A queue's request is not sent so late.
      const isQueued = !isByQueue(step, workflow) && scheduledMs + startWithinOf(ports) > ports.now();
      return { key: runKey(waiting), isPaused, isQueued, isResumed, isUntaken, isGivenUp };
    }),
  );
  return {
    untaken: new Set(judged.flatMap(({ key, isUntaken }) => (isUntaken ? [key] : []))),
    givenUp: new Set(judged.flatMap(({ key, isGivenUp }) => (isGivenUp ? [key] : []))),
    isPaused: judged.some((one) => one.isPaused),
    isQueued: judged.length > 0 && judged.every((one) => one.isQueued),
    isResumed: judged.length > 0 && judged.every((one) => one.isResumed),
  };
}
