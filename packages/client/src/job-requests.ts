// The messages that submit a job and cancel it (P1, P13, P15). A process that does not wait for the answers sends them over a connection of its own.
import type { ServiceBusMessage } from "@azure/service-bus";
import type { JobRequest, WantedStatuses } from "./job-messages.ts";

/** The app's queues, and where a job has its id. */
export interface JobQueues {
  readonly jobsQueue: string;
  /** The queue of jobs with `priority: "high"`. */
  readonly priorityQueue: string;
  /** The member of the content that has the job's id, as its contract names it, such as `orderId`. `jobId` if absent. */
  readonly idName?: string;
}

/** Where the app sends what it says of a job, and what each of these messages repeats. */
export interface ReplyTo {
  readonly replyTo: string;
  readonly replyToSessionId?: string;
  /** The job's id if absent. */
  readonly correlationId?: string;
  /** Of one message: its rejection, or the answer to its cancellation, has it. */
  readonly submissionId?: string;
  readonly statuses?: WantedStatuses | undefined;
}

/** A message, and the queue that it is for. */
export interface RequestMessage {
  readonly queue: string;
  readonly message: ServiceBusMessage;
}

/** The member of the content that is the job's id. */
export const idIn = (job: JobRequest, { idName = "jobId" }: Pick<JobQueues, "idName">): unknown =>
  (job as { readonly [name: string]: unknown })[idName];

/** Sent twice it is one job: the message id is the job's id. */
export function submissionOf(job: JobRequest, queues: JobQueues, address: ReplyTo): RequestMessage {
  const jobId = String(idIn(job, queues));
  return requestOf(job, jobId, { body: job, messageId: jobId }, queues, address);
}

/** Of a job, given as it was submitted, with the digest of its content. It may be sent twice. */
export function cancellationOf(
  job: JobRequest,
  digest: string,
  reason: string | undefined,
  queues: JobQueues,
  address: ReplyTo,
): RequestMessage {
  const jobId = String(idIn(job, queues));
  const body = { kind: "Cancel", jobId, contentDigest: digest, ...(reason && { reason }) };
  const { submissionId } = address;
  return requestOf(job, jobId, { body, ...(submissionId && { messageId: submissionId }) }, queues, address);
}

/** To the queue of the job's priority. */
function requestOf(
  { priority }: JobRequest,
  jobId: string,
  part: Pick<ServiceBusMessage, "body" | "messageId">,
  { jobsQueue, priorityQueue }: JobQueues,
  { submissionId, statuses, ...address }: ReplyTo,
): RequestMessage {
  const applicationProperties = { ...(submissionId && { submissionId }), ...(statuses && { statuses }) };
  return {
    queue: priority === "high" ? priorityQueue : jobsQueue,
    message: { contentType: "application/json", correlationId: jobId, ...address, ...part, applicationProperties },
  };
}
