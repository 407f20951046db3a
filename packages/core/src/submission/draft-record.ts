// The record of a new job, from its checked message; and the key by which the turns of waiting jobs are divided (P31).

import type { Job } from "../domain/content/job.ts";
import { instant } from "../domain/duration.ts";
import { appCode } from "../domain/outage.ts";
import { deadlineOf } from "../domain/record/deadline.ts";
import { newStateRecord } from "../domain/record/new-state-record.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { itemsIn } from "../domain/workflows/workflow-rules.ts";
import type { Submitting } from "../scheduler/ports.ts";
import { contentDigest } from "./content-digest.ts";
import type { SubmittedMessage, ValidSubmission } from "./submission-message.ts";

/** The record of a new job. */
export function draftRecord(parsed: ValidSubmission, message: SubmittedMessage, ports: Submitting): StateRecord {
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

/** The owner's name comes from its queue. On a queue that several senders share, the content has the key. */
export function fairnessKeyOf({ job, owner, contract }: ValidSubmission): string {
  return owner ?? memberOf(job, contract.fairnessKey);
}

/** As Temporal's: a longer key is cut. */
const FAIRNESS_KEY_LIMIT = 64;

/** The text of the content's member at that path; empty if there is none. */
function memberOf(content: Job, path: string | undefined): string {
  if (path === undefined) return "";
  let value: unknown = content;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return "";
    value = (value as { readonly [name: string]: unknown })[name];
  }
  return typeof value === "string" || typeof value === "number" ? String(value).slice(0, FAIRNESS_KEY_LIMIT) : "";
}
