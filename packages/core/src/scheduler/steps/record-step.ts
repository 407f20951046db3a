// A step's outcome (P8, P9, P13): recorded, fenced by the step's own run, published, and passed to the scheduler.
import { ownReceiver, type StepEnd, type StepTask } from "../../domain/steps/attempt.ts";
import type { Answer } from "../../domain/steps/step-answer.ts";
import type { Context } from "../ports.ts";
import type { Begun } from "./begin-step.ts";
import { publishStepEnd } from "./publish-step-end.ts";
import { rejectLate } from "./reject-late.ts";
import { findStepEnd, writeStepEnd } from "./write-step-end.ts";

/**
 * Order of writes: the record, then the status message, then (by the caller) the event for the attempt that holds the job. If it runs again after
 * a crash in between, the record shows the step done, the message has the same id, and the event does no harm. An answer that arrives after the
 * step was scheduled again changes nothing.
 */
export async function recordAnswer(task: StepTask, answer: Answer, context: Context): Promise<StepEnd> {
  const recorded = (await writeStepEnd(task, answer, context)) ?? (await findStepEnd(task, context));
  if (recorded) return publishStepEnd(task, recorded, context);
  await rejectLate(task, "the step has been scheduled again, or is not waited for any more", context);
  return { outcome: { kind: "superseded" }, receiver: ownReceiver(task) };
}

/**
 * Publishes again the end that an earlier run of this task recorded; undefined if there is none.
 * @param isFinal as for `findStepEnd`
 */
export async function recordedEnd(task: StepTask, context: Context, isFinal = false): Promise<StepEnd | undefined> {
  const recorded = await findStepEnd(task, context, isFinal);
  return recorded && publishStepEnd(task, recorded, context);
}

/** The recorded answer of a step whose agent was not called. */
export function unasked({ kind, message }: Exclude<Begun, { kind: "begun" | "superseded" }>): Answer {
  return kind === "skipped"
    ? { kind, message }
    : { kind, message, endpoint: "none", because: "its agent was not asked" };
}
