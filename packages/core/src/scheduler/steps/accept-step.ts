// A step that is done later (P6, P8): its service has accepted it, and only its record waits for the result.

import { LONGEST_WAIT_MS } from "../../domain/definition/workflow.ts";
import { after, durationMs, instant } from "../../domain/duration.ts";
import { hasEnded, type StateRecord, type StepRun } from "../../domain/record/state-record.ts";
import { missedMs } from "../../domain/record/wait.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import { newsOfEnd, newsOfOne } from "../../domain/steps/news.ts";
import { nextPollAt } from "../../domain/steps/poll.ts";
import { awaits, withNews, withoutWaiting } from "../../domain/steps/step-end.ts";
import { accepted } from "../../domain/steps/step-run.ts";
import { change } from "../change.ts";
import { circumstancesOf, type Recording } from "../ports.ts";
import { followTurn } from "../publishing/publish.ts";
import { recordAnswer, recordedEnd } from "./record-step.ts";
import { recordMark } from "./take-up.ts";

const NOT_ALLOWED =
  "its service answered that it does it later, and the workflow does not say for how long the step may wait (awaitWithin)";

/** The agent's reply, and the time when it took the step up. */
export interface Accepted {
  readonly reference?: string | undefined;
  readonly endpoint: string;
  readonly because: string;
  readonly startedAt?: string | undefined;
  /** When it came into its queue; absent if it was not in one. */
  readonly cameAt?: string | undefined;
  /** The time until the next poll of the service. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Order of writes: the record, what follows in a compensation that does not wait for the step, then (by the caller) the event for the attempt. If it runs again after a crash in between, or if the completion was
 * faster, the record shows it. A step that may not wait is rejected permanently: the later effect of its service is unknown, so a compensation
 * handles it.
 */
export async function acceptStep(task: StepTask, reply: Accepted, context: Recording): Promise<StepEnd> {
  const { jobId, attempt, step, agent, direction, awaitWithin } = task;
  const { reference, endpoint, because, startedAt, retryAfterMs } = reply;
  if (awaitWithin === undefined) {
    return recordAnswer(
      task,
      { kind: "rejected", message: NOT_ALLOWED, endpoint, because, outcomeUnknown: true },
      context,
    );
  }
  const at = instant(context.now());
  const { cameAt = at } = reply;
  const completeBy = after(at, (durationMs(awaitWithin) ?? 0) + missedMs(Date.parse(at) - Date.parse(cameAt)));
  const acceptance = {
    at,
    ...(reference !== undefined && { reference }),
    ...(task.record.assignee !== undefined && { remindedAt: null }),
    ...(retryAfterMs !== undefined && {
      pollAt: nextPollAt({ at }, retryAfterMs, task.completeWithin, completeBy, at),
    }),
  };
  const written = await recordMark(
    task,
    accepted(direction, acceptance, { endpoint, because, startedAt }, completeBy),
    at,
    context,
  );
  if (written.kind === "written") {
    context.telemetry.event("StepAccepted", {
      jobId,
      attempt,
      step,
      agent,
      completeBy,
      reference: reference ?? null,
    });
    return waitByEvent(task, written.record, context);
  }
  return (
    (await acceptedBefore(task, context)) ?? {
      outcome: { kind: "superseded" },
      receiver: task.isAwaited ? null : attempt,
    }
  );
}

/** What an earlier run of this task recorded: its end, or that it is done later. Undefined if it is neither. */
export async function acceptedBefore(task: StepTask, context: Recording): Promise<StepEnd | undefined> {
  const end = await recordedEnd(task, context);
  if (end) return end;
  const record = (await context.store.state(task.jobId))?.record;
  return record && awaits(record, task) ? waitByEvent(task, record, context) : undefined;
}

/** The step is still in progress: shown to people, and it may take longer than its first time limit. */
export interface Progress {
  readonly progress?: string | undefined;
  readonly within?: string | undefined;
}

/** Changes only the record. False if the step does not wait any more. */
export async function recordProgress(
  task: StepTask,
  { progress, within }: Progress,
  ports: Recording,
): Promise<boolean> {
  const now = instant(ports.now());
  const asked = within === undefined ? undefined : after(now, Math.min(durationMs(within) ?? 0, LONGEST_WAIT_MS));
  const news = ({ state, accepted: before, completeBy }: StepRun) => {
    if (state !== "Awaiting") return undefined;
    return {
      completeBy: asked !== undefined && asked > (completeBy ?? now) ? asked : completeBy,
      accepted: { at: now, ...before, lastReportAt: now, ...(progress !== undefined && { progress }) },
    };
  };
  return (await change(task.jobId, (record) => withNews(record, task, now, news), ports)).kind === "written";
}

/**
 * What the attempt that holds the job learns of a step that is done later (P13). From now on the attempt waits for the step by event, and needs to
 * know until when. A compensation does not wait for it.
 */
export async function waitByEvent(task: StepTask, record: StateRecord, context: Recording): Promise<StepEnd> {
  const { attempt, isAwaited, step, direction } = task;
  const { attempt: holder, steps, processState } = record;
  if (direction === "forward" && record.direction === "compensate") {
    if (hasEnded(processState)) return { outcome: newsOfEnd(steps, task, true), receiver: holder };
    const end = processState === "Processing" && (await goOnWithout(task, context));
    if (end) return end;
  }
  const hasReceiver = processState === "Processing" && !(isAwaited && holder === attempt);
  if (hasReceiver) return { outcome: newsOfOne(steps, step), receiver: holder };
  return { outcome: { kind: "completed", steps, hasEnded: false }, receiver: null };
}

/**
 * Begins the step's compensation, or ends the job that waits for nothing else. After a crash before it the step is found Awaiting, and this is done
 * then; after a crash behind it the sweep publishes the end, and the attempt finds the compensation when it looks at the record.
 */
async function goOnWithout(task: StepTask, context: Recording): Promise<StepEnd | undefined> {
  const decide = (record: StateRecord) => withoutWaiting(record, task, circumstancesOf(record, context));
  const written = await change(task.jobId, decide, context);
  if (written.kind === "rejected") return undefined;
  await followTurn(written, context);
  const { steps, processState, attempt } = written.record;
  // Forward again, in the next attempt: the one that compensated has to end.
  if (processState === "Pending") return { outcome: { kind: "superseded", by: attempt }, receiver: attempt - 1 };
  return { outcome: newsOfEnd(steps, task, hasEnded(processState)), receiver: attempt };
}
