// The results of a workflow's steps that its requester receives, and the statuses that the requester wants.

import { sourceOf } from "../definition/items.ts";
import type { Workflow } from "../definition/workflow.ts";
import { fallbacksOf } from "../record/expand.ts";
import { runOf } from "../record/plan.ts";
import type { JobStatus, OutboxMessage, StateRecord, StepResult } from "../record/state-record.ts";
import { STATUS_OF } from "./transitions.ts";

const ENDS: ReadonlySet<JobStatus> = new Set(Object.values(STATUS_OF));

export function isWanted({ statuses = "all" }: Pick<StateRecord, "statuses">, status: JobStatus): boolean {
  return statuses === "all" || ENDS.has(status);
}

/** The statuses that contain the reason too. */
const WITH_REASON: ReadonlySet<JobStatus> = new Set(["Failed", "Compensated", "Cancelled"]);
const WITH_OUTPUTS: ReadonlySet<JobStatus> = new Set(["StepCompleted", "Completed"]);

/** The content of a status for its requester; undefined if it does not want that status. */
export function statusMessage(record: StateRecord, outboxMessage: OutboxMessage, workflow: Workflow | undefined) {
  const { status, step } = outboxMessage;
  if (!isWanted(record, status)) return undefined;
  const { jobId, error, contentDigest } = record;
  const outputs = workflow && WITH_OUTPUTS.has(status) ? outputsOf(workflow, record, step) : undefined;
  return {
    jobId,
    ...outboxMessage,
    ...(error && WITH_REASON.has(status) && { detail: error.message }),
    ...(contentDigest && { contentDigest }),
    ...(outputs && { outputs }),
    ...(status === "StepReminder" && step !== undefined && waitIn(record, outboxMessage)),
  };
}

/** Who is to act, and until when. */
function waitIn({ steps }: StateRecord, { step = "", direction }: OutboxMessage) {
  const { assignee } = steps[step] ?? {};
  const completeBy = runOf(steps[step], direction ?? "forward")?.completeBy;
  return { ...(assignee !== undefined && { assignee }), ...(completeBy && { until: completeBy }) };
}

/** The outputs of one step, or of all completed steps; undefined if there are none. The steps' other results stay in the app. */
function outputsOf(workflow: Workflow, { steps }: StateRecord, only?: string): StepResult | undefined {
  const { outputs = {} } = workflow;
  const named = new Map(workflow.steps.map((step) => [step.name, step]));
  const found = Object.entries(outputs).flatMap(([name, text]): [string, StepResult[string]][] => {
    const source = sourceOf(text);
    if (!source) return [];
    // For a skipped step, the result of its fallback.
    const provider = [source.step, ...fallbacksOf(source.step, named)].find((one) => steps[one]?.state === "Completed");
    if (provider === undefined || (only !== undefined && provider !== only)) return [];
    const { state, result } = steps[provider] ?? {};
    const value = state === "Completed" ? result?.[source.member] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

export function outputFaults({ outputs = {}, steps }: Workflow, where: string): string[] {
  return Object.entries(outputs).flatMap(([name, text]) => {
    const source = sourceOf(text);
    if (!source)
      return [
        `${where}: output ${name}: ${text} must be a step and a member of its result, as arrangeShipping.shipmentId`,
      ];
    const step = steps.find(({ name }) => name === source.step);
    if (step?.forEach !== undefined) {
      return [`${where}: output ${name}: ${source.step} is done for each item, and has no one result`];
    }
    if (step) return [];
    return [`${where}: output ${name}: there is no step ${source.step}`];
  });
}
