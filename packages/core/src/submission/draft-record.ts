// The record of a new job, from its checked message.

import { assigned } from "../domain/assignee.ts";
import { deadlineOf } from "../domain/deadline.ts";
import { instant } from "../domain/duration.ts";
import { newStateRecord } from "../domain/new-state-record.ts";
import type { StateRecord } from "../domain/state-record.ts";
import { itemsIn } from "../domain/workflow-rules.ts";
import { memberOf } from "../messaging/contract.ts";
import type { Ports } from "../scheduler/ports.ts";
import { contentDigest } from "./content-digest.ts";
import type { SubmittedMessage, ValidSubmission } from "./submission-message.ts";

/** The owner's name comes from its queue. On a queue that several senders share, the content has the key. */
export function fairnessKeyOf({ job, owner, contract }: ValidSubmission): string {
  return owner ?? memberOf(job, contract.fairnessKey);
}

/** The record of a new job. */
export function draftRecord(parsed: ValidSubmission, message: SubmittedMessage, ports: Ports): StateRecord {
  const { jobId, job, contract, reply, owner, statuses } = parsed;
  const workflow = ports.workflows.newest(job.workflow);
  if (!workflow) throw new Error(`no workflow ${job.workflow}, though the submission rules name it`);
  const now = ports.now();
  const { priority } = job;
  const { body, traceparent, enqueuedAt, parent } = message;
  const submission = {
    jobId,
    keys: contract.keysOf(job),
    priority,
    ...reply,
    owner,
    parent: parent?.step,
    fairnessKey: fairnessKeyOf(parsed) || undefined,
    statuses,
    contentDigest: contentDigest(body, ports.rules.contracts.usualWorkflow),
    traceparent,
    enqueuedAt,
  };
  const items = itemsIn(workflow, job, ports.workflows.rules);
  const at = instant(now);
  const record = newStateRecord(submission, workflow, at, instant(now + ports.timing.claimWithinMs), items);
  const steps = assigned(workflow, record.steps, job, ports.workflows.rules);
  return { ...record, steps, ...deadlineOf(workflow, at) };
}
