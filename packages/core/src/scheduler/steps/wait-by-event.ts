// What the attempt that holds the job learns of a step that is done later (P6, P13).

import { hasEnded, type StateRecord } from "../../domain/record/state-record.ts";
import type { StepEnd, StepTask } from "../../domain/steps/attempt.ts";
import { newsOfEnd, newsOfOne } from "../../domain/steps/news.ts";
import { withoutWaiting } from "../../domain/steps/step-end.ts";
import { change } from "../change.ts";
import { type Context, circumstancesOf } from "../ports.ts";
import { followTurn } from "../publishing/publish.ts";

/** From now on the attempt waits for the step by event, and needs to know until when. A compensation does not wait for it. */
export async function waitByEvent(task: StepTask, record: StateRecord, context: Context): Promise<StepEnd> {
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
async function goOnWithout(task: StepTask, context: Context): Promise<StepEnd | undefined> {
  const decide = (record: StateRecord) => withoutWaiting(record, task, circumstancesOf(record, context));
  const written = await change(task.jobId, decide, context);
  if (written.kind === "rejected") return undefined;
  await followTurn(written, context);
  const { steps, processState, attempt } = written.record;
  // Forward again, in the next attempt: the one that compensated has to end.
  if (processState === "Pending") return { outcome: { kind: "superseded" }, receiver: attempt - 1 };
  return { outcome: newsOfEnd(steps, task, hasEnded(processState)), receiver: attempt };
}
