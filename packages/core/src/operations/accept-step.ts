// A step that is done later (P6, P8): its service has accepted it, and nothing of this app waits but its record.
import type { StepEnd, StepOutcome, StepTask } from "../domain/attempt.ts";
import { after, durationMs } from "../domain/duration.ts";
import { nextPollAt } from "../domain/poll.ts";
import type { StateRecord } from "../domain/state-record.ts";
import { awaits } from "../domain/step-end.ts";
import { accepted } from "../domain/step-run.ts";
import { LONGEST_WAIT_MS } from "../domain/workflow.ts";
import { type Context, instant, type Ports } from "./ports.ts";
import { recordAnswer, recordedEnd } from "./record-step.ts";
import { recordMark, recordNews } from "./take-up.ts";

const NOT_ALLOWED =
  "its service answered that it does it later, and the workflow does not say for how long the step may wait (awaitWithin)";

/** What its agent said, and when it took the step up. */
export interface Accepted {
  readonly reference?: string | undefined;
  readonly endpoint: string;
  readonly because: string;
  readonly startedAt?: string | undefined;
  /** The service is to be asked again after so long. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Order of writes: the record, then (the caller's) the event for the attempt. Run again after a death in between, or once the completion was faster, the
 * record shows it. A step that may not wait is rejected for good: what its service does later is not known, and a compensation sees to it.
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
    return standing(task, written.record);
  }
  const end = await recordedEnd(task, context);
  const record = end ? undefined : (await context.store.state(jobId))?.record;
  if (end) return end;
  return record && awaits(record, task)
    ? standing(task, record)
    : { outcome: { kind: "superseded" }, receiver: task.isAwaited ? null : attempt };
}

/** Its attempt waits for it by event from now on, and has to know until when. */
export function standing(
  { attempt, isAwaited }: StepTask,
  { attempt: holder, steps, processState }: StateRecord,
): StepEnd {
  const outcome: StepOutcome = { kind: "completed", steps, hasEnded: false };
  const hasReceiver = processState === "Processing" && !(isAwaited && holder === attempt);
  return { outcome, receiver: hasReceiver ? holder : null };
}

/** Whoever does it is still at it: for people to see, and it may take longer than it had. */
export interface Progress {
  readonly progress?: string | undefined;
  readonly within?: string | undefined;
}

/** Nothing but the record changes. False where the step does not wait any more. */
export async function recordProgress(task: StepTask, { progress, within }: Progress, ports: Ports): Promise<boolean> {
  const now = instant(ports.now());
  const asked = within === undefined ? undefined : after(now, Math.min(durationMs(within) ?? 0, LONGEST_WAIT_MS));
  const written = await recordNews(task, now, ports, ({ state, accepted: before, completeBy }) => {
    if (state !== "Awaiting") return undefined;
    return {
      completeBy: asked !== undefined && asked > (completeBy ?? now) ? asked : completeBy,
      accepted: { at: now, ...before, lastReportAt: now, ...(progress !== undefined && { progress }) },
    };
  });
  return written.kind === "written";
}
