// The decisions before the call of a step's agent: whether its condition holds, and which item of a list it is for.

import type { StepTask } from "../domain/attempt.ts";
import { itemOfRun, stepOfRun } from "../domain/items.ts";
import type { Job } from "../domain/job.ts";
import type { Decided, StepResult } from "../domain/state-record.ts";
import { noteDecision } from "../domain/step-writes.ts";
import { messageOf } from "../domain/thrown.ts";
import { type Item, itemsOf, type Situation } from "../domain/workflow-rules.ts";
import { instant, type Ports } from "./ports.ts";

/** The input of its agent besides the job. */
export type Begun =
  | { readonly kind: "begun"; readonly task: StepTask; readonly item: Item | null }
  /** Its condition is false: it is not done. */
  | { readonly kind: "skipped"; readonly task: StepTask; readonly message: string }
  /** The job does not contain a value that the decision needs: a later try would have the same result. */
  | { readonly kind: "rejected"; readonly task: StepTask; readonly message: string };

/**
 * Order of writes: the result of the condition, then (by the caller) the request to the agent. If it runs again after a crash in between, the
 * record has the decision. A step without condition or list costs nothing here.
 */
export async function beginStep(task: StepTask, job: Job, ports: Ports): Promise<Begun> {
  const { when, forEach } = task;
  if (when === undefined && forEach === undefined) return { kind: "begun", task, item: null };
  let item: Item | null;
  try {
    item = itemFor(task, job, ports);
  } catch (cause) {
    return { kind: "rejected", task, message: messageOf(cause) };
  }
  if (when === undefined || task.direction === "compensate") return { kind: "begun", task, item };
  const known = task.record.decided ?? (await ports.store.state(task.jobId))?.record.steps[task.step]?.decided;
  try {
    const decided = known ?? (await decide(task, when, { job, results: task.results, item }, ports));
    const record = { ...task.record, decided };
    const message = `${when} does not hold`;
    return decided.holds
      ? { kind: "begun", task: { ...task, record }, item }
      : { kind: "skipped", task: { ...task, record }, message };
  } catch (cause) {
    if (!(cause instanceof ConditionFault)) throw cause;
    return { kind: "rejected", task, message: cause.message };
  }
}

class ConditionFault extends Error {}

async function decide(
  task: StepTask,
  condition: string,
  situation: { job: Job; results: { readonly [step: string]: StepResult }; item: Item | null },
  ports: Ports,
): Promise<Decided> {
  const { conditions } = ports.workflows.rules;
  const ask = Object.hasOwn(conditions, condition) ? conditions[condition] : undefined;
  let holds: boolean;
  try {
    if (!ask) throw new Error("there is none");
    holds = ask(situation as Situation<never>);
  } catch (cause) {
    throw new ConditionFault(`condition ${condition}: ${messageOf(cause)}`);
  }
  const decided = { condition, holds, at: instant(ports.now()) };
  // If the step does not belong to this task any more, its records and requests are rejected or known; if the condition does not hold, the
  // step's end records that.
  if (holds) await ports.store.change(task.jobId, noteDecision(task, decided));
  return decided;
}

/** As recorded; a job that an older version of the app recorded has no items in its record. */
function itemFor({ step, forEach, record }: StepTask, job: Job, { workflows }: Ports): Item | null {
  const number = itemOfRun(step);
  if (forEach === undefined || number === undefined) return null;
  if (record.item) return record.item;
  const item = itemsOf(forEach, job, workflows.rules)[number - 1];
  if (item === undefined) throw new Error(`${forEach} has no item ${number} for ${stepOfRun(step)}`);
  return item;
}
