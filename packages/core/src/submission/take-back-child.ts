// The compensation of a step that submitted a child job (P13, P35): the child is cancelled or compensated, and one that was never recorded can't be any more.
import { childEndOf, isChildOf } from "../domain/child-end.ts";
import { decide } from "../domain/operator.ts";
import { hasEnded, type StateRecord } from "../domain/state-record.ts";
import type { OperatorRequest } from "../messaging/operator-request.ts";
import { decisionContextOf, operateJob } from "../scheduler/operate-job.ts";
import type { Context } from "../scheduler/ports.ts";
import { clearOutbox } from "../scheduler/publish.ts";
import { draftRecord } from "./draft-record.ts";
import { readSubmission } from "./submission-message.ts";
import { messageFor, type WantedChild } from "./submit-child.ts";

export type ChildTakenBack =
  /** Nothing of it is left; `state`: how it ended, or `NotSubmitted` if nothing of it was ever recorded. */
  | { readonly kind: "takenBack"; readonly state: StateRecord["processState"] | "NotSubmitted" }
  | { readonly kind: "going"; readonly waitsFor?: string }
  /** A person has to take it back. */
  | { readonly kind: "rejected"; readonly message: string };

/**
 * What the child needs next for its end: called for the step's compensation, and again for each poll of it. Order of writes: as for a requester's
 * cancellation. A child that does not exist is recorded as Cancelled, in one batch: a late submission then finds it.
 * @param wasSubmitted whether the child is known to have been recorded
 */
export async function takeBackChild(
  wanted: WantedChild,
  wasSubmitted: boolean,
  context: Context,
): Promise<ChildTakenBack> {
  const { id } = wanted;
  const found = (await context.store.latest(id.jobId))?.record ?? (await fence(wanted, wasSubmitted, context));
  if ("kind" in found) return found;
  // Its id was taken, so it was never submitted.
  if (!isChildOf(found, { jobId: id.parentId, step: id.step })) return { kind: "takenBack", state: "NotSubmitted" };
  return standingOf(found) ?? goBack(found, id.parentId, context);
}

/** Undefined if something has to be asked of it. */
function standingOf(record: StateRecord): ChildTakenBack | undefined {
  const { processState, direction, thenForward, error, jobId } = record;
  const end = childEndOf(record);
  if (end.kind === "takenBack") return { kind: "takenBack", state: processState };
  if (error?.kind === "resolved") {
    return { kind: "rejected", message: `child ${jobId} was resolved by a person: ${error.message}` };
  }
  // In Error it waits for a person.
  const isOnItsWay = direction === "compensate" && !thenForward && processState !== "Processed";
  return isOnItsWay && end.kind === "going" ? end : undefined;
}

/** By the rule of its own workflow it may be too late for a cancellation: then it goes on to its end, and is compensated after that. */
async function goBack(record: StateRecord, parentId: string, context: Context): Promise<ChildTakenBack> {
  const { jobId, processState } = record;
  const reason = `parent ${parentId}, whose step submitted it, is compensated`;
  const request: OperatorRequest = hasEnded(processState)
    ? { kind: "compensate", reason, byParent: true }
    : { kind: "cancel", reason, byRequester: true };
  const operated = await operateJob(jobId, request, { by: `parent ${parentId}`, ifMatch: "any" }, context);
  switch (operated.kind) {
    case "done":
      return standingOf(operated.record) ?? { kind: "going" };
    case "rejected":
      if (hasEnded(processState)) {
        return { kind: "rejected", message: `child ${jobId} is ${processState}: ${operated.reason}` };
      }
      return { kind: "going", waitsFor: operated.reason };
    case "changed":
      return { kind: "going" };
    case "not-found":
    case "invalid":
      return { kind: "rejected", message: `child ${jobId} is not there any more` };
    default:
      return operated satisfies never;
  }
}

/** The record of a child that is cancelled before it is submitted; or the one that was faster. */
async function fence(
  wanted: WantedChild,
  wasSubmitted: boolean,
  context: Context,
): Promise<StateRecord | ChildTakenBack> {
  const { jobId, parentId } = wanted.id;
  if (wasSubmitted) return { kind: "rejected", message: `child ${jobId} is not there any more` };
  const message = await messageFor(wanted, context);
  const parsed = "kind" in message ? message : readSubmission(message, context.rules);
  // A late submission is rejected for the same reason.
  if ("kind" in message || parsed.kind !== "valid") return { kind: "takenBack", state: "NotSubmitted" };
  const draft = draftRecord(parsed, message, context);
  const by = `parent ${parentId}`;
  const reason = `${by} was compensated before it was submitted`;
  const decided = decide(draft, { kind: "cancel", reason }, undefined, decisionContextOf(by, context));
  if (decided.kind === "rejected") throw new Error(`a job that has not begun can't be cancelled: ${decided.reason}`);
  const created = await context.store.create(parsed.job, decided.record);
  if (created.kind === "duplicate") return created.record;
  const stored = await context.store.latest(jobId);
  if (stored) await clearOutbox(stored, context);
  return decided.record;
}
