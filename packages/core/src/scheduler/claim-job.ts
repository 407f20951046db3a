// The scheduler's claim (P4): one attempt takes a Pending job, exclusively, before its orchestration starts.

import { completionsOf } from "../domain/record/outbox.ts";
import { planOf, runsInHand } from "../domain/record/plan.ts";
import { hasEnded, holderId, type OutboxMessage, type StateRecord } from "../domain/record/state-record.ts";
import { type Attempt, attemptOf, type ClaimOutcome, type StartAttempt } from "../domain/steps/attempt.ts";
import { claimOf, claimUnread } from "../domain/steps/claim.ts";
import { HISTORY_BYTES } from "../domain/steps/history-length.ts";
import { leftToPerson } from "../domain/steps/unsettled.ts";
import { inSpan } from "../telemetry/spans.ts";
import { fromHere } from "../telemetry/trace-context.ts";
import { change, type Made } from "./change.ts";
import { type Claiming, circumstancesOf } from "./ports.ts";
import { concludeJob, followTurn, publish } from "./publishing/publish.ts";

/**
 * Order of writes: the claim, then the Started message, then (by the caller) the start of the orchestration. After a crash in between the message
 * that requested the attempt is delivered again: the claim is then recognised as its own, and the rest is done. The steps completed in the
 * meantime are published again too, because a process may have crashed after it completed a step and before it published that.
 * @param known the record, if the caller has it, before its first attempt
 */
export function claimJob(startAttempt: StartAttempt, context: Claiming, known?: StateRecord): Promise<ClaimOutcome> {
  const { jobId, attempt, direction } = startAttempt;
  return inSpan(`claim attempt ${attempt}`, { attributes: { jobId, attempt, direction } }, () =>
    claimInSpan(startAttempt, context, known),
  );
}

async function claimInSpan(
  { jobId, attempt }: StartAttempt,
  context: Claiming,
  known: StateRecord | undefined,
): Promise<ClaimOutcome> {
  const holder = holderId(jobId, attempt, context.taskHub);
  let tried: StateRecord | undefined;
  const decide = (record: StateRecord) => {
    if (record.processState !== "Pending" || record.attempt !== attempt) return undefined;
    tried = claimOf(record, holder, circumstancesOf(record, context));
    return tried;
  };
  // A submission that is delivered again finds the job claimed.
  if (known?.processState !== "Processing") {
    const after = known && decide(known);
    const claim = await change(jobId, decide, context, known && after ? [claimUnread(known, after)] : []);
    if (claim.kind === "written") return followClaim(claim, holder, context);
  }
  const before = await claimedBefore({ jobId, attempt }, holder, tried, context);
  if (before) return before;
  context.telemetry.event("ClaimRejected", { jobId, attempt });
  return { kind: "taken" };
}

/** An earlier run of this claim may have crashed before it published it; or the store made the write that was tried, and its answer was lost. */
async function claimedBefore(
  { jobId, attempt }: Pick<StartAttempt, "jobId" | "attempt">,
  holder: string,
  tried: StateRecord | undefined,
  context: Claiming,
): Promise<ClaimOutcome | undefined> {
  const stored = await context.store.state(jobId);
  if (stored?.record.attempt !== attempt) return undefined;
  const { record } = stored;
  if (record.processState === "Processing" && record.lockedBy === holder) {
    await publish(record, [...startOf(record), ...completionsOf(record)], context);
    return { kind: "claimed", attempt: heldBy(holder, record, context), isBehind: true };
  }
  if (!hasEnded(record.processState) || !hasEnded(tried?.processState)) return undefined;
  await concludeJob(stored, context);
  return { kind: "concluded" };
}

async function followClaim(claim: Made, holder: string, context: Claiming): Promise<ClaimOutcome> {
  const { before, after, record } = claim;
  const { jobId, attempt, direction, priority } = record;
  for (const left of leftToPerson(before, after))
    context.telemetry.event("CompensationIncomplete", { jobId, attempt, ...left });
  if (after.processState !== "Processing") {
    await followTurn(claim, context);
    return { kind: hasEnded(after.processState) ? "concluded" : "taken" };
  }
  context.telemetry.event("JobClaimed", { jobId, attempt, direction, priority });
  await publish(record, startOf(record), context);
  const isBehind = runsInHand(before.steps).length > 0;
  return { kind: "claimed", attempt: heldBy(holder, record, context), isBehind };
}

function startOf({ attempt, direction, updatedAt: at }: StateRecord): OutboxMessage[] {
  return direction === "forward" ? [{ status: "Started", attempt, at }] : [];
}

function heldBy(holder: string, record: StateRecord, { workflows }: Claiming): Attempt {
  const workflow = workflows.of(record.workflow);
  const plan = planOf(workflow, record.steps, record.direction);
  return { ...attemptOf(fromHere(record), holder, plan), historyBytes: HISTORY_BYTES };
}
