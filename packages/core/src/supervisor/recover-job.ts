// The supervisor's recovery of one overdue record (P10, P11): the verdict, its write, and its messages.

import { policyFor } from "../domain/definition/workflow.ts";
import { instant } from "../domain/duration.ts";
import { OtherVersionNeeded, Outage } from "../domain/outage.ts";
import { completionsOf } from "../domain/record/outbox.ts";
import { runOf } from "../domain/record/plan.ts";
import type { Reminder } from "../domain/record/reminder.ts";
import type { Expiry, StateRecord } from "../domain/record/state-record.ts";
import { decideDeadline, passDeadline } from "../domain/recovery/pass-deadline.ts";
import { claimableAt, decideRecovery, overdueStep, recover, startAttemptOf } from "../domain/recovery/recovery.ts";
import { type Snapshot, snapshotOf } from "../domain/recovery/snapshot.ts";
import { steppedBack } from "../domain/recovery/unrecovered.ts";
import { runKey } from "../domain/steps/attempt.ts";
import { type AnyVerdict, isOfDeadline, type ProlongedWait, VERDICTS, type Verdict } from "../domain/steps/verdicts.ts";
import { inWords, isThrown } from "../domain/thrown.ts";
import type { Context, Telemetry } from "../scheduler/ports.ts";
import {
  clearOutbox,
  publish,
  publishAll,
  reportError,
  reportOwedError,
  startNextAttempt,
} from "../scheduler/publishing/publish.ts";
import { askAgain } from "../scheduler/steps/ask-later.ts";
import { taskIn } from "../scheduler/steps/task-in.ts";
import type { AgentTimeout } from "../store/audit-log.ts";
import type { Versioned } from "../store/job-store.ts";
import { judgeWaits, mayHaveReplied, prolongedWaits } from "./judge-waits.ts";
import { isThrottled } from "./pace.ts";
import { ruleInWords } from "./rule.ts";

export interface Recovery {
  /** Absent if no verdict was possible for the record. */
  readonly verdict?: AnyVerdict["kind"];
  readonly rule: string;
  readonly before: Snapshot;
  readonly after: Snapshot | null;
  /** `lost`: another supervisor, or the attempt itself, had written the record first. */
  readonly outcome: "applied" | "lost" | "broken";
  /** The fault of a broken record, or of an applied one whose messages were not all published: the next sweep finds it again. */
  readonly fault?: unknown;
  readonly stop?: AgentTimeout;
}

/**
 * A deadline that has passed comes before anything else that is due of a job. Never throws. Order of writes: the record, at the version that was read, then its messages. After a crash in between the record is due again,
 * and the next sweep publishes them. A record that can't be recovered steps back.
 * @param mayReschedule whether this sweep schedules one more job again whose step no agent took up in time
 */
export async function recoverJob(due: Versioned, mayReschedule: () => boolean, context: Context): Promise<Recovery> {
  const { unrecovered: _before, ...record } = due.record;
  const { processState, attempt, failureCount } = record;
  const before: Snapshot = { processState, attempt, failureCount, step: null };
  let recovery: Recovery = { rule: "not judged", before, after: null, outcome: "broken" };
  let isWriting = false;
  try {
    recovery = { ...recovery, before: snapshotOf(record) };
    const now = context.now();
    const workflow = context.workflows.of(record.workflow);
    const policyOf = (step: string | undefined) => policyFor(workflow, step);
    const { clockSkewMs, misconfiguredRetryMs } = context.timing;
    const overdueBefore = instant(now - clockSkewMs);
    const judge = async (): Promise<Verdict> => {
      const prolonging = await prolongedWaits(record, overdueBefore, instant(now), context);
      if (prolonging.length > 0) return { kind: "prolong", waits: prolonging };
      if (mayHaveReplied(record, workflow, overdueBefore, now)) return lookAgain(now, REPLIES_READ_MS);
      const { isPaused, ...waits } = await judgeWaits(record, overdueBefore, context);
      const decided = decideRecovery(record, policyOf, overdueBefore, misconfiguredRetryMs, waits);
      const isPostponed = decided.kind === "reschedule" && (isPaused || !mayReschedule());
      return isPostponed ? lookAgain(now) : decided;
    };
    const passed = decideDeadline(record, workflow, overdueBefore);
    const verdict: AnyVerdict = passed ?? (await judge());
    const step = overdueIn(verdict, record, overdueBefore);
    const stop = agentTimeoutOf(verdict, record, step);
    recovery = {
      ...recovery,
      verdict: verdict.kind,
      rule: ruleInWords(record, verdict, policyOf),
      ...(stop && { stop }),
    };
    // The write removes the outbox message, so the message is sent before.
    if (verdict.kind === "publish") {
      await publish(record, [...completionsOf(record), ...record.outbox], context);
      reportOwedError(record, context.telemetry);
    }
    const { claimWithinMs } = context.timing;
    const next = isOfDeadline(verdict)
      ? passDeadline(record, verdict, { by: "supervisor", now: instant(now), claimWithinMs, clockSkewMs })
      : recover(record, verdict, { now: instant(now), overdueBefore, claimWithinMs });
    // The same request again, if a crash follows: its queue drops it.
    if (verdict.kind === "prolong") await askWaiting(verdict.waits, next, context);
    isWriting = true;
    const written = await context.store.replace(due, next);
    if (written.kind === "rejected") return { ...recovery, outcome: "lost" };
    recovery = { ...recovery, outcome: "applied", after: snapshotOf(written.record) };
    if ("deadlineAt" in verdict) {
      const { jobId, deadlineAt = null } = record;
      context.telemetry.event("JobDeadlinePassed", {
        jobId,
        attempt,
        deadlineAt,
        onExpired: workflow.deadline?.onExpired ?? null,
      });
    }
    if ("failures" in verdict || "waitMs" in verdict) {
      const { jobId, completeBy } = record;
      const { agent = null, endpoint = null, message = null, tries = null } = stop ?? {};
      const cause = { endpoint, message, tries };
      context.telemetry.event("JobExpired", { jobId, attempt, step, agent, completeBy, ...cause });
    }
    if (verdict.kind === "compensateAtDeadline") await startNextAttempt(written, context);
    else await follow(verdict, record, written, now, step, context);
    return recovery;
  } catch (fault) {
    // A write without an answer may have been made, and the store that does not take it takes no other.
    if (!isWriting) await stepBack(due, fault, context);
    return { ...recovery, fault };
  }
}

/** Agents that are asked over their queues by the app's own clock. */
async function askWaiting(waits: readonly ProlongedWait[], record: StateRecord, context: Context): Promise<void> {
  for (const { step, direction, run } of waits) {
    const ticket = { attempt: run.attempt ?? 0, step, direction, lockedBy: record.lockedBy ?? "" };
    const task = run.again && taskIn(record, ticket, context);
    if (run.again && task) await askAgain(task, record, run, run.again, context);
  }
}

/** Without this, the longest overdue records would take each sweep's time, however many of them can't be recovered. */
async function stepBack(due: Versioned, fault: unknown, { store, now }: Context): Promise<void> {
  if (isThrottled(fault)) return;
  const isOutage = isThrown(Outage, fault) && !isThrown(OtherVersionNeeded, fault);
  try {
    await store.replace(due, steppedBack(due.record, inWords(fault), isOutage, instant(now())));
  } catch {
    // The store's fault, or the record's: the event for the first fault names the job.
  }
}

const LOOK_AGAIN_MS = 10_000;
/** Replies that waited for the app are read in that time. */
const REPLIES_READ_MS = 30_000;

function lookAgain(now: number, ms = LOOK_AGAIN_MS): Verdict {
  return { kind: "later", at: instant(now + ms) };
}

function overdueIn(verdict: AnyVerdict, record: StateRecord, overdueBefore: string): string | null {
  return ("failures" in verdict ? verdict.step : overdueStep(record, overdueBefore)) ?? null;
}

/** Why its agent did not answer, as far as the record contains it for this attempt. */
function agentTimeoutOf(verdict: AnyVerdict, record: StateRecord, step: string | null): AgentTimeout | undefined {
  if (step === null || !("failures" in verdict || "waitMs" in verdict)) return undefined;
  const { attempt, direction, steps } = record;
  const expiry = runOf(steps[step], direction)?.expiry;
  const isUntaken = "untaken" in verdict && verdict.untaken?.includes(runKey({ step, direction }));
  const unknown = isUntaken ? { message: "its agent did not take it up in time", tries: 0 } : {};
  const known: Partial<Expiry> = expiry?.attempt === attempt ? expiry : unknown;
  const { endpoint = null, message, tries } = known;
  return { step, agent: steps[step]?.agent ?? null, attempt, tries: tries ?? null, endpoint, message: message ?? null };
}

async function follow(
  verdict: AnyVerdict,
  before: StateRecord,
  written: Versioned,
  now: number,
  step: string | null,
  context: Context,
): Promise<void> {
  if (verdict.kind === "remind") {
    reportReminders(verdict.due, written.record, context.telemetry);
    await clearOutbox(written, context);
  }
  if ("skips" in verdict) reportSkips(verdict.skips, written.record, context.telemetry);
  const { event, isStarted } = VERDICTS[verdict.kind];
  const until = "waitMs" in verdict ? instant(now + verdict.waitMs) : undefined;
  if (event) {
    const { jobId, attempt, failureCount } = written.record;
    const agent = step === null ? null : (before.steps[step]?.agent ?? null);
    const known = { step, agent, failureCount, until: until ?? null };
    const has = Object.fromEntries(event.has.map((name) => [name, known[name]]));
    context.telemetry.event(event.name, { jobId, attempt, ...has });
  }
  if (verdict.kind === "compensate") {
    await startNextAttempt(written, context);
    return;
  }
  if (verdict.kind === "fail" || verdict.kind === "failAtDeadline") {
    reportError(written.record, context.telemetry);
    await publishAll(written, context);
  }
  if (isStarted) await startAttemptAt(until, written, context);
}

function reportReminders(due: readonly Reminder[], { jobId, attempt, steps }: StateRecord, telemetry: Telemetry) {
  for (const { step, direction } of due) {
    const { agent = null, assignee = null } = steps[step] ?? {};
    const completeBy = runOf(steps[step], direction)?.completeBy ?? null;
    telemetry.event("StepReminder", { jobId, attempt, step, agent, direction, assignee, completeBy });
  }
}

/** For a step that was skipped before, it is the compensation that failed. */
function reportSkips(
  steps: readonly string[] = [],
  { jobId, attempt, steps: records }: StateRecord,
  telemetry: Telemetry,
) {
  for (const step of steps) {
    const { agent = null, skipped, compensation } = records[step] ?? {};
    const subject = { jobId, attempt: attempt - 1, step, agent };
    if (compensation?.state === "Failed")
      telemetry.event("CompensationIncomplete", { ...subject, message: compensation.error });
    else if (skipped) telemetry.event("StepSkipped", { ...subject, cause: skipped.cause, message: skipped.message });
  }
}

async function startAttemptAt(until: string | undefined, written: Versioned, context: Context): Promise<void> {
  await publishAll(written, context);
  const at = until && claimableAt(written.record, until);
  await context.messenger.startAttempt(startAttemptOf(written.record), at === undefined ? {} : { at });
}
