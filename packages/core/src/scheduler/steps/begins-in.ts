// The activity of a step begins (P8, P26): what the engine's delay has made of the step meanwhile, and how long its agent may wait for a place.

import { after, instant } from "../../domain/duration.ts";
import { isInHand, runOf } from "../../domain/record/plan.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import type { Context, Ports } from "../ports.ts";
import { expire } from "./unanswered.ts";

/**
 * Says that the engine begins it. A step that begins after its start-by may be another attempt's by now: one read shows it, and nothing of it is done.
 * @returns how it ends then; undefined if it is still this task's
 */
export async function beginsIn(task: StepTask, context: Context): Promise<StepEnd | undefined> {
  const { jobId, attempt, step, direction, record, startBy } = task;
  const now = context.now();
  context.presence.began(runOf(record, direction)?.scheduledAt ?? instant(now));
  if (instant(now) <= startBy) return undefined;
  const own = runOf((await context.store.latest(jobId))?.record.steps[step], direction);
  if (own?.attempt === attempt && isInHand(own)) return undefined;
  return expire(task, "StepNotTakenUp", 0, context);
}

/** Until when it may wait for a place at its service: a start-by that was put off because the engine is slow is no time for that. */
export function patienceOf({ startBy }: Pick<StepTask, "startBy">, { now, timing }: Ports): string {
  const usual = after(instant(now()), timing.startWithinMs);
  return usual < startBy ? usual : startBy;
}
