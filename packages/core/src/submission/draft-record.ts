// The record of a new job, from its checked message.

import { instant } from "../domain/duration.ts";
import { appCode } from "../domain/outage.ts";
import { deadlineOf } from "../domain/record/deadline.ts";
import { newStateRecord } from "../domain/record/new-state-record.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { itemsIn } from "../domain/workflows/workflow-rules.ts";
import type { Ports } from "../scheduler/ports.ts";
import { contentDigest } from "./content-digest.ts";
import { fairnessKeyOf } from "./fairness-key.ts";
import type { SubmittedMessage, ValidSubmission } from "./submission-message.ts";

/** The record of a new job. */
export function draftRecord(parsed: ValidSubmission, message: SubmittedMessage, ports: Ports): StateRecord {
  const { jobId, job, contract, reply, owner, statuses } = parsed;
  const workflow = ports.workflows.newest(job.workflow);
  if (!workflow) throw new Error(`no workflow ${job.workflow}, though the submission rules name it`);
  const now = ports.now();
  const { priority } = job;
  const { body, traceparent, enqueuedAt } = message;
  const submission = {
    jobId,
    keys: appCode(`the keys of ${job.workflow}`, () => contract.keysOf(job)),
    priority,
    ...reply,
    owner,
    fairnessKey: fairnessKeyOf(parsed) || undefined,
    statuses,
    contentDigest: contentDigest(body, ports.rules.contracts.usualWorkflow),
    traceparent,
    enqueuedAt,
  };
  const items = itemsIn(workflow, job, ports.workflows.rules);
  const at = instant(now);
  const record = newStateRecord(submission, workflow, at, instant(now + ports.timing.claimWithinMs), items);
  return { ...record, ...deadlineOf(workflow, at) };
}
