// The decisions before the call of a step's agent: whether its condition holds, and which item of a list it is for.

import type { Job } from "../../domain/content/job.ts";
import { secretValuesOf, textWithout } from "../../domain/content/redactor.ts";
import type { Decided } from "../../domain/definition/skipped.ts";
import { instant } from "../../domain/duration.ts";
import type { ReadResults } from "../../domain/record/state-record.ts";
import type { StepTask } from "../../domain/steps/attempt.ts";
import { isToBeListed } from "../../domain/steps/listed-runs.ts";
import { awaits } from "../../domain/steps/step-end.ts";
import { withDecision } from "../../domain/steps/step-writes.ts";
import { messageOf } from "../../domain/thrown.ts";
import type { Item } from "../../domain/workflows/workflow-rules.ts";
import { contractOf } from "../../messaging/contract.ts";
import type { Ports } from "../ports.ts";
import { writeAtVersion } from "../write-at-version.ts";

/** The input of its agent besides the job. */
export type Begun =
  | { readonly kind: "begun"; readonly task: StepTask; readonly item: Item | null }
  /** Its condition is false: it is not done. */
  | { readonly kind: "skipped"; readonly task: StepTask; readonly message: string }
  /** The job does not contain a value that the decision needs, or its list can't be used: a later try would have the same result. */
  | { readonly kind: "rejected"; readonly task: StepTask; readonly message: string }
  /** The step does not belong to this task any more: nothing may follow from what its condition says now. */
  | { readonly kind: "superseded"; readonly task: StepTask };

/**
 * Order of writes: the result of the condition, then (by the caller) the request to the agent, or the step's end as skipped. Whoever runs the same
 * task again, or beside this run, finds the decision in the record. A step without condition or list costs nothing here.
 */
export async function beginStep(task: StepTask, job: Job, ports: Ports): Promise<Begun> {
  const { when, record: recorded } = task;
  const { item = null } = recorded;
  if (task.direction === "compensate") return { kind: "begun", task, item };
  // No agent is called for a step without the item that it is for.
  if (isToBeListed({ name: task.step, forEach: task.forEach }))
    return { kind: "rejected", task, message: recorded.listFault ?? `${task.forEach} is not recorded` };
  if (when === undefined) return { kind: "begun", task, item };
  try {
    const decided = recorded.decided ?? (await decideOnce(task, when, { job, results: task.results, item }, ports));
    if (!decided) return { kind: "superseded", task };
    const record = { ...recorded, decided };
    const message = `${when} does not hold`;
    return decided.holds
      ? { kind: "begun", task: { ...task, record }, item }
      : { kind: "skipped", task: { ...task, record }, message };
  } catch (cause) {
    if (!(cause instanceof ConditionFault)) throw cause;
    return { kind: "rejected", task, message: withoutSecrets(cause.message, job, ports) };
  }
}

class ConditionFault extends Error {}

type Deciding = {
  readonly job: Job;
  readonly results: ReadResults;
  readonly item: Item | null;
};

/** The recorded decision, or the one that is recorded now. Undefined if the step does not belong to this task any more, and nothing was decided. */
async function decideOnce(
  task: StepTask,
  condition: string,
  situation: Deciding,
  ports: Ports,
): Promise<Decided | undefined> {
  let found: Decided | undefined;
  await writeAtVersion(task.jobId, ports, (record) => {
    const own = record.steps[task.step];
    found = own?.decided;
    if (!own || found || !awaits(record, task)) return undefined;
    found = { condition, holds: holds(condition, situation, ports), at: instant(ports.now()) };
    return withDecision(record, task.step, found);
  });
  return found;
}

function holds(condition: string, situation: Deciding, ports: Ports): boolean {
  const { conditions } = ports.workflows.rules;
  const ask = Object.hasOwn(conditions, condition) ? conditions[condition] : undefined;
  try {
    if (!ask) throw new Error("there is none");
    return ask(situation as never);
  } catch (cause) {
    throw new ConditionFault(`condition ${condition}: ${messageOf(cause)}`);
  }
}

/** The message is recorded, and shown to whoever may read. */
function withoutSecrets(message: string, job: Job, { rules }: Ports): string {
  return textWithout(message, secretValuesOf(job, contractOf(job, rules.contracts).secrets));
}
