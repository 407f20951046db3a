// The runs of a record whose time is over (P10, P26): whose they are, and whether that is a failure.

import { expiresAt, isOverdue } from "../record/due.ts";
import { isTakenUp, type RunInHand, runsInHand } from "../record/plan.ts";
import type { StateRecord, Steps } from "../record/state-record.ts";
import { runKey } from "../steps/attempt.ts";
import { type Failed, heldBy, isHeldEnough } from "../steps/failure-budget.ts";

/** In either direction. @param before a step that expires at this instant or later may still be in progress, by some clock */
export function overdueRuns(steps: Steps, before: string): readonly RunInHand[] {
  return runsInHand(steps).filter(({ run }) => isOverdue(run, before));
}

/** A run of the record's attempt. A run that began in an attempt before its compensation continues, and does not belong to it. */
export function isOwn(record: StateRecord, { direction }: RunInHand): boolean {
  return record.direction === "forward" || direction === "compensate";
}

/** The runs of the attempt that holds the record whose time has passed, whether or not a poll is still owed. */
export function expiredRuns(record: StateRecord, before: string): readonly RunInHand[] {
  if (record.processState !== "Processing") return [];
  return runsInHand(record.steps).filter((each) => isOwn(record, each) && expiresAt(each.run) < before);
}

/** The step in the events: of the overdue steps the first that is Running in the record's direction, or else the first that waits for its agent. */
export function overdueStep(record: StateRecord, before?: string): string | undefined {
  const inHand = before === undefined ? runsInHand(record.steps) : overdueRuns(record.steps, before);
  const own = inHand.filter((each) => isOwn(record, each));
  return (own.find(({ run }) => isTakenUp(run)) ?? own[0])?.step;
}

/** Not for a fault that is neither the job's nor its service's. */
export const isCounted = ({ run }: RunInHand): boolean => heldBy(run) === undefined || isHeldEnough(run);

/** Whether an overdue run is one of the failures of a verdict. */
export function isFailed(record: StateRecord, each: RunInHand, { failures, untaken = [] }: Partial<Failed>): boolean {
  if (failures === undefined || !isOwn(record, each)) return false;
  return (isTakenUp(each.run) && isCounted(each)) || untaken.includes(runKey(each));
}
