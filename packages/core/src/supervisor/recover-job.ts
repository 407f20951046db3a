// The supervisor's recovery of one overdue record (P10, P11): the verdict, its write, and what follows.

import { policyFor, type Workflow } from "../domain/definition/workflow.ts";
import { after, instant } from "../domain/duration.ts";
import { OtherVersionNeeded, Outage } from "../domain/outage.ts";
import { completionsOf } from "../domain/record/outbox.ts";
import { runOf, runsInHand } from "../domain/record/plan.ts";
import { owesReminder } from "../domain/record/reminder.ts";
import { type Expiry, hasEnded, type StateRecord } from "../domain/record/state-record.ts";
import { overdueStep } from "../domain/recovery/overdue.ts";
import type { Sweeping } from "../domain/recovery/recovered.ts";
import { claimableAt, decideDeadline, decideRecovery, recover, startAttemptOf } from "../domain/recovery/recovery.ts";
import { type Snapshot, snapshotOf } from "../domain/recovery/snapshot.ts";
import { steppedBack } from "../domain/recovery/unrecovered.ts";
import { rowOf, ruleInWords, type Verdict } from "../domain/recovery/verdicts.ts";
import { runKey } from "../domain/steps/attempt.ts";
import { leftToPerson } from "../domain/steps/unsettled.ts";
import { inWords, isThrown } from "../domain/thrown.ts";
import type { Supervising, Telemetry } from "../scheduler/ports.ts";
import { clearOutbox, publish, publishAll, reportError, reportOwedError } from "../scheduler/publishing/publish.ts";
import { askAgain } from "../scheduler/steps/ask-later.ts";
import { taskIn } from "../scheduler/steps/reply-task.ts";
import type { AgentTimeout, DecisionEntry } from "../store/audit-log.ts";
import type { Versioned } from "../store/job-store.ts";
import { judgeWaits, mayHaveReplied, prolongedWaits } from "./judge-waits.ts";
import { isThrottled } from "./pace.ts";

export interface Recovery extends Pick<DecisionEntry, "rule" | "before" | "after" | "outcome" | "stop"> {
  /** Absent if no verdict was possible for the record. */
  readonly verdict?: Verdict["kind"];
  /** The fault of a broken record, or of an applied one whose messages were not all published: the next sweep finds it again. */
  readonly fault?: unknown;
}

/** One overdue record, in the hands of the supervisor: decided, written, followed. */
interface Overdue {
  /** Below the threshold it is reset; at it, it waits, is compensated, or ends in Error. @throws what keeps it from a verdict */
  decide(): Promise<Verdict>;
  /** At the version that was read, and what has to go out before. False if another writer was faster. */
  write(verdict: Verdict): Promise<boolean>;
  /** Tells the operators, the client and the scheduler. */
  follow(): Promise<void>;
}

/** What the supervisor does with each overdue record. */
export type Recover = (overdue: Overdue) => Promise<void>;

export const decideWriteFollow: Recover = async (overdue) => {
  const verdict = await overdue.decide();
  if (await overdue.write(verdict)) await overdue.follow();
};

/**
 * Never throws. Order of writes: the record, at the version that was read, then its messages. After a crash in between the record is due again, and
 * the next sweep publishes them. A record that can't be recovered steps back.
 * @param mayReschedule whether this sweep schedules one more job again whose step no agent took up in time
 */
export async function recoverJob(
  due: Versioned,
  mayReschedule: () => boolean,
  context: Supervising,
  work: Recover,
): Promise<Recovery> {
  const recovering = new Recovering(due, mayReschedule, context);
  try {
    await work(recovering);
  } catch (fault) {
    await recovering.stepBack(fault);
    return { ...recovering.known, fault };
  }
  return recovering.known;
}

class Recovering implements Overdue {
  readonly #due: Versioned;
  readonly #record: StateRecord;
  readonly #mayReschedule: () => boolean;
  readonly #context: Supervising;
  readonly #sweeping: Sweeping;
  #known: Recovery;
  #decided: Decided | undefined;
  #written: Versioned | undefined;
  #isWriting = false;

  constructor(due: Versioned, mayReschedule: () => boolean, context: Supervising) {
    const { unrecovered: _before, ...record } = due.record;
    const { claimWithinMs, clockSkewMs } = context.timing;
    const now = context.now();
    const { processState, attempt, failureCount } = record;
    this.#due = due;
    this.#record = record;
    this.#mayReschedule = mayReschedule;
    this.#context = context;
    this.#sweeping = { now: instant(now), overdueBefore: instant(now - clockSkewMs), claimWithinMs };
    const before: Snapshot = { processState, attempt, failureCount, step: null };
    this.#known = { rule: "not judged", before, after: null, outcome: "broken" };
  }

  /** What has come of it so far. */
  get known(): Recovery {
    return this.#known;
  }

  async decide(): Promise<Verdict> {
    const record = this.#record;
    this.#known = { ...this.#known, before: snapshotOf(record) };
    const workflow = this.#context.workflows.of(record.workflow);
    const verdict = await decide(record, workflow, this.#sweeping, this.#mayReschedule, this.#context);
    const rule = ruleInWords(record, verdict, (step) => policyFor(workflow, step));
    const overdue = overdueStep(record, this.#sweeping.overdueBefore) ?? null;
    const step = verdict.step === undefined ? overdue : verdict.step;
    const stop = agentTimeoutOf(verdict, record, step);
    this.#decided = { verdict, step, stop };
    this.#known = { ...this.#known, verdict: verdict.kind, rule, ...(stop && { stop }) };
    return verdict;
  }

  async write(verdict: Verdict): Promise<boolean> {
    const next = recover(this.#record, verdict, this.#sweeping);
    await precede(this.#record, next, this.#context);
    this.#isWriting = true;
    const written = await this.#context.store.replace(this.#due, next);
    if (written.kind === "written") this.#written = written;
    const outcome = this.#written ? "applied" : "lost";
    this.#known = { ...this.#known, outcome, ...(this.#written && { after: snapshotOf(this.#written.record) }) };
    return this.#written !== undefined;
  }

  async follow(): Promise<void> {
    if (!this.#written || !this.#decided) return;
    report(this.#record, this.#written.record, this.#decided, this.#context);
    await sendOwed(this.#record, this.#written, this.#context);
  }

  /** Without this, the longest overdue records would take each sweep's time, however many of them can't be recovered. */
  async stepBack(fault: unknown): Promise<void> {
    // A write without an answer may have been made, and the store that does not take it takes no other.
    if (this.#isWriting || isThrottled(fault)) return;
    const { store, now } = this.#context;
    const isOutage = isThrown(Outage, fault) && !isThrown(OtherVersionNeeded, fault);
    try {
      await store.replace(this.#due, steppedBack(this.#due.record, inWords(fault), isOutage, instant(now())));
    } catch {
      // The store's fault, or the record's: the event for the first fault names the job.
    }
  }
}

const LOOK_AGAIN_MS = 10_000;
/** Replies that waited for the app are read in that time. */
const REPLIES_READ_MS = 30_000;

/** A deadline that has passed comes before anything else that is due of a job. */
async function decide(
  record: StateRecord,
  workflow: Workflow,
  { now, overdueBefore }: Sweeping,
  mayReschedule: () => boolean,
  context: Supervising,
): Promise<Verdict> {
  const passed = decideDeadline(record, workflow, overdueBefore);
  if (passed) return passed;
  const waits = await prolongedWaits(record, overdueBefore, now, context);
  if (waits.length > 0) return { kind: "prolong", waits };
  if (mayHaveReplied(record, workflow, overdueBefore, Date.parse(now)))
    return { kind: "later", at: after(now, REPLIES_READ_MS) };
  const { isPaused, isQueued, isResumed, ...untaken } = await judgeWaits(record, workflow, overdueBefore, context);
  const policyOf = (step: string | undefined) => policyFor(workflow, step);
  const decided = decideRecovery(record, policyOf, overdueBefore, context.timing.misconfiguredRetryMs, untaken);
  const isPostponed = decided.kind === "reschedule" && (isPaused || isQueued || !(isResumed || mayReschedule()));
  return isPostponed ? { kind: "later", at: after(now, LOOK_AGAIN_MS) } : decided;
}

/** Why its agent did not answer, as far as the record contains it for this attempt. */
function agentTimeoutOf(verdict: Verdict, record: StateRecord, step: string | null): AgentTimeout | undefined {
  if (step === null || rowOf(verdict.kind).because !== "JobExpired") return undefined;
  const { attempt, direction, steps } = record;
  const expiry = runOf(steps[step], direction)?.expiry;
  const isUntaken = verdict.untaken?.includes(runKey({ step, direction }));
  const unknown = isUntaken ? { message: "its agent did not take it up in time", tries: 0 } : {};
  const known: Partial<Expiry> = expiry?.attempt === attempt ? expiry : unknown;
  const { endpoint = null, message, tries } = known;
  return { step, agent: steps[step]?.agent ?? null, attempt, tries: tries ?? null, endpoint, message: message ?? null };
}

/** What has to go out before the write, because the record does not show afterwards that it is owed. After a crash it goes out again. */
async function precede(before: StateRecord, next: StateRecord, context: Supervising): Promise<void> {
  const isSettled =
    next.outbox.length < before.outbox.length || (before.dueAt !== undefined && next.dueAt === undefined);
  if (isSettled) {
    await publish(before, [...completionsOf(before), ...before.outbox], context);
    reportOwedError(before, context.telemetry);
  }
  for (const { step, direction, run } of runsInHand(next.steps)) {
    const { again, attempt } = run;
    if (!again || again.round === runOf(before.steps[step], direction)?.again?.round) continue;
    const task = taskIn(next, { attempt: attempt ?? 0, step, direction, lockedBy: next.lockedBy ?? "" }, context);
    // Asked again if a crash follows: the agent knows its key.
    if (task) await askAgain(task, next, run, again, context);
  }
}

interface Decided {
  readonly verdict: Verdict;
  readonly step: string | null;
  readonly stop: AgentTimeout | undefined;
}

/** The events: why, then what became of the steps, then what comes. Those of the verdict are in its row, all others in the difference. */
function report(
  before: StateRecord,
  next: StateRecord,
  { verdict, step, stop }: Decided,
  { telemetry }: Supervising,
): void {
  const { because, event } = rowOf(verdict.kind);
  const { jobId, attempt, completeBy, deadlineAt = null } = before;
  if (because === "JobExpired") {
    const { agent = null, endpoint = null, message = null, tries = null } = stop ?? {};
    telemetry.event(because, { jobId, attempt, step, agent, completeBy, endpoint, message, tries });
  }
  const isEnded = hasEnded(next.processState) && !hasEnded(before.processState);
  if (because === "JobDeadlinePassed")
    telemetry.event(because, { jobId, attempt, deadlineAt, onExpired: isEnded ? "fail" : "compensate" });
  reportSteps(before, next, telemetry);
  if (event) {
    const agent = step === null ? null : (before.steps[step]?.agent ?? null);
    const until = verdict.waitMs === undefined ? null : after(next.updatedAt, verdict.waitMs);
    const known = { step, agent, failureCount: next.failureCount, until };
    const has = Object.fromEntries(event.has.map((name) => [name, known[name]]));
    telemetry.event(event.name, { jobId, attempt: next.attempt, ...has });
  }
  if (next.direction !== before.direction)
    telemetry.event("JobToBeCompensated", { jobId, attempt: next.attempt, message: next.error?.message ?? null });
  if (isEnded) reportError(next, telemetry);
}

/** Steps that the job goes on without, and people who are reminded. */
function reportSteps(before: StateRecord, { jobId, steps, outbox }: StateRecord, telemetry: Telemetry): void {
  for (const left of leftToPerson(before, { steps }))
    telemetry.event("CompensationIncomplete", { jobId, attempt: before.attempt, ...left });
  for (const [step, { agent, state, skipped }] of Object.entries(steps)) {
    const known = before.steps[step];
    const subject = { jobId, attempt: before.attempt, step, agent };
    if (skipped && state === "Skipped" && known?.state !== "Skipped")
      telemetry.event("StepSkipped", { ...subject, cause: skipped.cause, message: skipped.message });
  }
  if (owesReminder(before)) return;
  for (const { status, attempt, step = "", direction = "forward" } of outbox) {
    if (status !== "StepReminder") continue;
    const { agent = null, assignee = null } = steps[step] ?? {};
    const completeBy = runOf(steps[step], direction)?.completeBy ?? null;
    telemetry.event("StepReminder", { jobId, attempt, step, agent, direction, assignee, completeBy });
  }
}

/** Sends what the change owes, whatever verdict made it: the start of the attempt that it waits for, the end, a reminder; the client's messages first. */
async function sendOwed(before: StateRecord, written: Versioned, context: Supervising): Promise<void> {
  const { messenger, timing, now } = context;
  const { record } = written;
  const isAwaited = record.attempt !== before.attempt || record.dueAt !== before.dueAt;
  if (record.processState === "Pending" && isAwaited) {
    await publishAll(written, context);
    const at = claimableAt(record, timing.claimWithinMs, instant(now()));
    await messenger.startAttempt(startAttemptOf(record), at === undefined ? {} : { at });
  } else if (hasEnded(record.processState) && !hasEnded(before.processState)) await publishAll(written, context);
  else if (owesReminder(record) && !owesReminder(before)) await clearOutbox(written, context);
}
