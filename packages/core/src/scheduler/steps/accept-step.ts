// A step that is done later (P6, P8): its service has accepted it, and only its record waits for the result.

import { LONGEST_WAIT_MS } from "../../domain/definition/workflow.ts";
import { after, durationMs, instant } from "../../domain/duration.ts";
import type { StepRun } from "../../domain/record/state-record.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import { nextPollAt } from "../../domain/steps/poll.ts";
import { awaits, withNews } from "../../domain/steps/step-end.ts";
import { accepted } from "../../domain/steps/step-run.ts";
import { change } from "../change.ts";
import type { Context, Ports } from "../ports.ts";
import { recordAnswer, recordedEnd } from "./record-step.ts";
import { recordMark } from "./take-up.ts";
import { waitByEvent } from "./wait-by-event.ts";

const NOT_ALLOWED =
  "its service answered that it does it later, and the workflow does not say for how long the step may wait (awaitWithin)";

/** The agent's reply, and the time when it took the step up. */
export interface Accepted {
  readonly reference?: string | undefined;
  readonly endpoint: string;
  readonly because: string;
  readonly startedAt?: string | undefined;
  /** The time until the next poll of the service. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Order of writes: the record, what follows in a compensation that does not wait for the step, then (by the caller) the event for the attempt. If it runs again after a crash in between, or if the completion was
 * faster, the record shows it. A step that may not wait is rejected permanently: the later effect of its service is unknown, so a compensation
 * handles it.
 */
export async function acceptStep(task: StepTask, reply: Accepted, context: Context): Promise<StepEnd> {
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
  const completeBy = after(at, durationMs(awaitWithin) ?? 0);
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
export async function acceptedBefore(task: StepTask, context: Context): Promise<StepEnd | undefined> {
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
export async function recordProgress(task: StepTask, { progress, within }: Progress, ports: Ports): Promise<boolean> {
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
