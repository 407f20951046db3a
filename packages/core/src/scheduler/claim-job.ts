// The scheduler's claim (P4): one attempt takes a Pending job, exclusively, before its orchestration starts.

import { instant } from "../domain/duration.ts";
import { writeOf } from "../domain/record/difference.ts";
import { pausesOf } from "../domain/record/due.ts";
import { completionsOf } from "../domain/record/outbox.ts";
import {
  directionOf,
  isCompensationUnknown,
  isWholeDone,
  outcomeIsUnknown,
  type Plan,
  planOf,
  readySteps,
  runsInHand,
} from "../domain/record/plan.ts";
import { hasEnded, holderId, type OutboxMessage, type StateRecord, type Steps } from "../domain/record/state-record.ts";
import { type Attempt, attemptOf, type ClaimOutcome, type StartAttempt, toSchedule } from "../domain/steps/attempt.ts";
import { endingOf } from "../domain/steps/ending.ts";
import { forwardAgain } from "../domain/steps/forward-again.ts";
import { HISTORY_BYTES } from "../domain/steps/history-length.ts";
import { settledSteps } from "../domain/steps/skip.ts";
import { scheduled } from "../domain/steps/step-run.ts";
import { claimed, claimedAndConcluded, transitions } from "../domain/steps/transitions.ts";
import { claimUnread } from "../domain/steps/unread.ts";
import type { Versioned, Written } from "../store/job-store.ts";
import { inSpan } from "../telemetry/spans.ts";
import { fromHere } from "../telemetry/trace-context.ts";
import { writeUnread } from "./change.ts";
import { type Context, type Ports, schedulingOf, type Telemetry } from "./ports.ts";
import { concludeJob, publish, startNextAttempt } from "./publishing/publish.ts";

/**
 * Order of writes: the claim, then the Started message, then (by the caller) the start of the orchestration. After a crash in between the message
 * that requested the attempt is delivered again: the claim is then recognised as its own, and the rest is done. The steps completed in the
 * meantime are published again too, because a process may have crashed after it completed a step and before it published that.
 * @param known the record, if the caller has it: while it is Pending, no other writer changes the values that a claim depends on
 */
export function claimJob(startAttempt: StartAttempt, context: Context, known?: StateRecord): Promise<ClaimOutcome> {
  const { jobId, attempt, direction } = startAttempt;
  return inSpan(`claim attempt ${attempt}`, { attributes: { jobId, attempt, direction } }, () =>
    claimInSpan(startAttempt, context, known),
  );
}

async function claimInSpan(
  startAttempt: StartAttempt,
  context: Context,
  known: StateRecord | undefined,
): Promise<ClaimOutcome> {
  const { jobId, attempt } = startAttempt;
  const holder = holderId(jobId, attempt, context.taskHub);
  let read: ReadRecord | undefined = known ? { record: known } : await context.store.state(jobId);
  // The message that asks for an attempt may be faster than the record of it: it would be completed, and the job would wait for the supervisor.
  if (!read || read.record.attempt < attempt) read = await context.store.latest(jobId);
  for (let tries = 0; read?.record.attempt === attempt && tries < MOST_TRIES; tries += 1) {
    const { record }: ReadRecord = read;
    if (record.processState !== "Pending") return claimedAlready(record, holder, context);
    const { direction, steps } = record;
    const workflow = context.workflows.of(record.workflow);
    const settled = direction === "forward" ? settledSteps(workflow, steps, instant(context.now())) : steps;
    if (settled !== steps) {
      // Rare, and not part of a claim's patch: the job stays Pending, and is claimed with the changed record.
      read = await writeSettled(read, settled, context);
      continue;
    }
    const plan = planOf(workflow, steps, direction);
    if (isWholeDone(plan, steps, direction)) {
      const forward = forwardAgain(record, { ...turning(holder, context), workflow });
      if (!forward) return concludeAtOnce(record, holder, context);
      const turned = await writeTurn(read, forward, context);
      if (turned) return startAgain(turned, context);
      read = await context.store.state(jobId);
      continue;
    }
    const written = await writeClaim(read, plan, holder, context);
    if (written.kind === "written") {
      context.telemetry.event("JobClaimed", { jobId, attempt, direction, priority: record.priority });
      await publish(written.record, startOf(written.record), context);
      const isBehind = runsInHand(steps).length > 0;
      return { kind: "claimed", attempt: heldBy(holder, written.record, context), isBehind };
    }
    // Taken by another; or a step of an earlier attempt was recorded in the meantime, which leads to something else.
    read = await context.store.state(jobId);
  }
  return taken(startAttempt, context.telemetry);
}

/** Each try loses to the end of another step. The supervisor finds a job that is not claimed after these tries. */
const MOST_TRIES = 20;

interface ReadRecord {
  readonly record: StateRecord;
  /** Absent if the caller has just created the record. */
  readonly etag?: string;
}

async function writeSettled(
  { record, etag }: ReadRecord,
  steps: Steps,
  { store }: Ports,
): Promise<ReadRecord | undefined> {
  const written = etag === undefined ? undefined : await store.replace({ record, etag }, { ...record, steps });
  return written?.kind === "written" ? written : store.state(record.jobId);
}

function turning(by: string, { now, timing }: Ports) {
  return { by, now: instant(now()), claimWithinMs: timing.claimWithinMs };
}

/** Undefined if the record has changed since it was read. */
async function writeTurn(
  { record, etag }: ReadRecord,
  forward: StateRecord,
  { store }: Ports,
): Promise<Versioned | undefined> {
  if (etag === undefined) return undefined;
  const { to } = transitions.claimedWithAllCompensatedThenForward;
  const written = await store.replace({ record, etag }, { ...forward, processState: to });
  return written.kind === "written" ? written : undefined;
}

/** Its compensation had nothing left to do, and it goes forward in its next attempt. */
async function startAgain(turned: Versioned, context: Context): Promise<ClaimOutcome> {
  await startNextAttempt(turned, context);
  return { kind: "taken" };
}

/**
 * While no step is in progress and no outcome is unknown, which an operator may record of a job that waits, the values that a claim depends on do not
 * change. Otherwise the claim is written at the version that was read.
 */
async function writeClaim({ record, etag }: ReadRecord, plan: Plan, holder: string, ports: Ports): Promise<Written> {
  const { jobId, attempt, steps, direction } = record;
  const now = instant(ports.now());
  const ready = readySteps(plan, steps, direction, now);
  const next = ready.map((step) =>
    scheduled(toSchedule(step, steps), attempt, directionOf(step, direction), now, schedulingOf(ports)),
  );
  const after = claimed(record, next, holder, now);
  const isAlone = runsInHand(steps).length === 0 && pausesOf(after.steps, direction).length === 0;
  const isOneWay = ready.every((step) => directionOf(step, direction) === direction);
  const write = writeOf(claimUnread(record, after));
  if (write && isAlone && isOneWay && !isAnyUnknown(steps)) return ports.store.change(jobId, write);
  if (etag === undefined) return { kind: "rejected" };
  return ports.store.replace({ record, etag }, after);
}

const isAnyUnknown = (steps: Steps) =>
  Object.values(steps).some((step) => outcomeIsUnknown(step) || isCompensationUnknown(step));

function taken({ jobId, attempt }: StartAttempt, telemetry: Telemetry): ClaimOutcome {
  telemetry.event("ClaimRejected", { jobId, attempt });
  return { kind: "taken" };
}

/** An earlier run of this claim may have crashed before it published it, or before its orchestration was started. */
async function claimedAlready(record: StateRecord, holder: string, context: Context): Promise<ClaimOutcome> {
  if (record.processState === "Processing" && record.lockedBy === holder) {
    await publish(record, [...startOf(record), ...completionsOf(record)], context);
    return { kind: "claimed", attempt: heldBy(holder, record, context), isBehind: true };
  }
  return taken(record, context.telemetry);
}

function startOf({ attempt, direction, updatedAt: at }: StateRecord): OutboxMessage[] {
  return direction === "forward" ? [{ status: "Started", attempt, at }] : [];
}

function heldBy(holder: string, record: StateRecord, { workflows }: Ports): Attempt {
  const workflow = workflows.of(record.workflow);
  const plan = planOf(workflow, record.steps, record.direction);
  return { ...attemptOf(fromHere(record), holder, plan), historyBytes: HISTORY_BYTES };
}

/** A compensation with no step to compensate, or a resubmitted job with all steps completed. */
async function concludeAtOnce(pending: StateRecord, holder: string, context: Context): Promise<ClaimOutcome> {
  const { direction, steps, error: cause } = pending;
  const now = instant(context.now());
  const ending = endingOf(
    context.workflows.of(pending.workflow),
    direction === "compensate" ? { steps, cause } : null,
    now,
  );
  const after = claimedAndConcluded(pending, ending, holder, now);
  const written = await writeUnread(pending.jobId, claimUnread(pending, after), context);
  const concluded = written.kind === "written" ? written : await concludedAlready(pending, context);
  if (!concluded) return { kind: "taken" };
  await concludeJob(concluded, context);
  return { kind: "concluded" };
}

/** The store made the write, but its answer was lost. */
async function concludedAlready({ jobId, attempt }: StartAttempt, ports: Ports): Promise<Versioned | undefined> {
  const stored = await ports.store.state(jobId);
  const { processState } = stored?.record ?? {};
  return hasEnded(processState) && stored?.record.attempt === attempt ? stored : undefined;
}
