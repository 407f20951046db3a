// What a requester who asks is told of its job: the same as by the status messages.

import type { Workflow } from "../domain/definition/workflow.ts";
import {
  hasEnded,
  type JobStatus,
  type ProcessState,
  type StateRecord,
  type StepResult,
} from "../domain/record/state-record.ts";
import { statusMessage } from "../domain/steps/outputs.ts";
import { STATUS_OF } from "../domain/steps/transitions.ts";

export interface JobProgress {
  readonly jobId: string;
  readonly state: ProcessState;
  /** The last status, as a message would have it. */
  readonly status: JobStatus;
  readonly isOver: boolean;
  readonly attempt: number;
  /** ISO 8601. */
  readonly submittedAt: string;
  readonly updatedAt: string;
  /** Why it was not completed. */
  readonly detail?: string;
  /** The workflow's outputs, of a completed job. */
  readonly outputs?: StepResult;
}

/** @param workflow undefined if this app does not have it, as after a rollback: there are no outputs then */
export function progressFor(record: StateRecord, workflow: Workflow | undefined): JobProgress {
  const { jobId, processState: state, attempt, createdAt: submittedAt, updatedAt } = record;
  const status = statusOf(record);
  // It asks now, whatever it wanted to be told of.
  const said = statusMessage({ ...record, statuses: "all" }, { status, attempt, at: updatedAt }, workflow);
  const { detail, outputs } = said ?? {};
  return {
    ...{ jobId, state, status, isOver: hasEnded(state), attempt, submittedAt, updatedAt },
    ...(detail !== undefined && { detail }),
    ...(outputs !== undefined && { outputs }),
  };
}

function statusOf({ processState, attempt }: StateRecord): JobStatus {
  if (hasEnded(processState)) return STATUS_OF[processState];
  return processState === "Pending" && attempt === 1 ? "Received" : "Started";
}
