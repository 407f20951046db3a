// The state record of a new job (P1, P2): what its requester and its workflow determine.
import { runOfItem, sourceOf } from "../definition/items.ts";
import type { Workflow } from "../definition/workflow.ts";
import { NOT_STARTED, RECORD_VERSION, type StateRecord, type StepRecord, type StepResult } from "./state-record.ts";

/** The requester of a job, and the request: as the record keeps it. */
type Submission = Pick<
  StateRecord,
  | "jobId"
  | "keys"
  | "priority"
  | "owner"
  | "fairnessKey"
  | "contentDigest"
  | "statuses"
  | "replyTo"
  | "replyToSessionId"
  | "correlationId"
  | "traceparent"
  | "enqueuedAt"
>;

/** The items of the lists of a workflow's steps, by the list's name. */
export type Items = { readonly [list: string]: readonly StepResult[] };

/**
 * A new job's state record: Pending, unlocked, no step started. A step that is done for each item has a record for each from the start; if the
 * items are those of another step's result, it has one until then (listed-runs.ts).
 * @param items the items of the lists that its workflow names
 */
export function newStateRecord(
  submission: Submission,
  workflow: Workflow,
  now: string,
  claimBy: string,
  items: Items = {},
): StateRecord {
  const steps = workflow.steps.flatMap(({ name, agent, forEach, assignee }) => {
    const record: StepRecord = {
      ...NOT_STARTED,
      ...{ agent, result: null, compensation: null, generation: 1 },
      ...(assignee !== undefined && { assignee }),
    };
    if (forEach === undefined || sourceOf(forEach)) return [[name, record] as const];
    // No later version of the app computes them again: another sequence would do one item twice, and another never.
    return (items[forEach] ?? []).map((item, index) => [runOfItem(name, index + 1), { ...record, item }] as const);
  });
  return {
    schemaVersion: RECORD_VERSION,
    jobId: submission.jobId,
    keys: submission.keys,
    workflow: { name: workflow.name, version: workflow.version },
    processState: "Pending",
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    attempt: 1,
    direction: "forward",
    jobRevision: 1,
    priority: submission.priority,
    ...(submission.owner && { owner: submission.owner }),
    ...(submission.fairnessKey && { fairnessKey: submission.fairnessKey }),
    contentDigest: submission.contentDigest,
    ...(submission.statuses === "end" && { statuses: submission.statuses }),
    replyTo: submission.replyTo,
    replyToSessionId: submission.replyToSessionId,
    correlationId: submission.correlationId,
    traceparent: submission.traceparent,
    ...(submission.enqueuedAt && { enqueuedAt: submission.enqueuedAt }),
    steps: Object.fromEntries(steps),
    error: null,
    dueAt: claimBy,
    history: [{ at: now, what: "submitted", by: "submission" }],
    outbox: [],
    createdAt: now,
    updatedAt: now,
  };
}
