// A step's activity begins (P26), and ends without an answer in time, or because its code threw (P7, P8): what is recorded of it, and what is not.

import type { Fault, LastError } from "../../agents/agent.ts";
import { after, instant } from "../../domain/duration.ts";
import { isInHand, runOf } from "../../domain/record/plan.ts";
import { ownReceiver, type StepEnd, type StepTask } from "../../domain/steps/attempt.ts";
import { awaits } from "../../domain/steps/step-end.ts";
import { expiryUnread } from "../../domain/steps/unread.ts";
import { inWords } from "../../domain/thrown.ts";
import { writeUnread } from "../change.ts";
import { reportCode } from "../code-fault.ts";
import type { Recording } from "../ports.ts";
import { rejectLate } from "../write-audit-log.ts";
import { recordedEnd } from "./record-step.ts";
import type { TakeUp } from "./take-up.ts";

/**
 * Says that the engine begins it. A step that begins after its start-by may be another attempt's by now: one read shows it, and nothing of it is done.
 * @returns how it ends then; undefined if it is still this task's
 */
export async function beginsIn(task: StepTask, context: Recording): Promise<StepEnd | undefined> {
  const { jobId, attempt, step, direction, record, startBy } = task;
  const now = context.now();
  context.presence.began(runOf(record, direction)?.scheduledAt ?? instant(now));
  if (instant(now) <= startBy) return undefined;
  const { attempt: by = attempt, steps = {} } = (await context.store.latest(jobId))?.record ?? {};
  const own = runOf(steps[step], direction);
  // A step that is to be begun again, or was compensated, is nobody's: it may still name the attempt.
  const isOwn = own?.attempt === attempt && own.state !== "NotStarted" && own.state !== "Compensated";
  if (isOwn && isInHand(own)) return undefined;
  if (!isOwn && by > attempt) return { outcome: { kind: "superseded", by }, receiver: null };
  return expire(task, "StepNotTakenUp", 0, context);
}

/** Until when it may wait for a place at its service: a start-by that was put off because the engine is slow is no time for that. */
export function patienceOf({ startBy }: Pick<StepTask, "startBy">, { now, timing }: Recording): string {
  const usual = after(instant(now()), timing.startWithinMs);
  return usual < startBy ? usual : startBy;
}

/** Once its time is over the supervisor holds it, whatever the code had done before. */
export async function failStep(
  task: StepTask,
  run: TakeUp,
  lastError: LastError,
  context: Recording,
): Promise<StepEnd> {
  reportCode(task, lastError, context.telemetry);
  if (run.startedAt === undefined) await run.begin(false);
  await run.record();
  const isNoted = run.isInTime && (await recordFault(task, { tries: 0, lastError }, context));
  return expire(task, "AgentTimedOut", 0, context, isNoted);
}

/**
 * No message, unless an earlier run of this same task had recorded its outcome before it crashed.
 * @param isNoted the record says why: there is no such outcome
 */
export async function expire(
  task: StepTask,
  event: "AgentTimedOut" | "StepNotTakenUp",
  tries: number,
  context: Recording,
  isNoted = false,
): Promise<StepEnd> {
  const end = isNoted ? undefined : await recordedEnd(task, context);
  if (end) return end;
  const { jobId, attempt, step, agent } = task;
  context.telemetry.event(event, { jobId, attempt, step, agent, tries });
  // The attempt continues with the other steps in progress, until the supervisor starts another attempt.
  return { outcome: { kind: "expired" }, receiver: null };
}

/** After complete-by nothing is recorded (P8), unless an earlier run of this same task had recorded its outcome before it crashed. */
export async function answeredLate(task: StepTask, context: Recording): Promise<StepEnd> {
  const end = await recordedEnd(task, context);
  if (end) return end;
  await rejectLate(task, "it came after complete-by", context);
  const record = (await context.store.state(task.jobId))?.record;
  if (record && awaits(record, task)) return { outcome: { kind: "expired" }, receiver: null };
  return { outcome: { kind: "superseded" }, receiver: ownReceiver(task) };
}

/**
 * Records why the step is not done in time, for people and for the supervisor. False if that is not known to be recorded: an earlier run of this task
 * recorded its outcome, the supervisor was faster, or the store is unavailable.
 */
export async function recordFault(task: StepTask, { tries, lastError }: Fault, context: Recording): Promise<boolean> {
  const { jobId, attempt, step } = task;
  const expiry = { at: instant(context.now()), attempt, tries, ...lastError };
  try {
    return (await writeUnread(jobId, expiryUnread(task, expiry), context)).kind === "written";
  } catch (cause) {
    context.telemetry.event("TakeUpUnrecorded", { jobId, attempt, step, cause: inWords(cause) });
    return false;
  }
}
