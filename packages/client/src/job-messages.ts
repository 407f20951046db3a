// What travels between a submitting application and the app: the job that it sends and the status messages that it receives (P15).

/**
 * What every job has, beside its id; the rest is as the contract of its workflow wants it. The id is the member that the client's option
 * `idName` names: 1 to 80 letters, digits, - or _. It names this job for ever: sent again under it, it stays one job. Content that has neither
 * of the members below fits too.
 */
export type JobRequest = object & {
  /** The app's usual one without one: then the client has to know that, by its option `usualWorkflow`. */
  readonly workflow?: string | undefined;
  /** `normal` without one. A high one goes by its own queue. */
  readonly priority?: "normal" | "high" | undefined;
};

const STATUSES = [
  "Received",
  "Started",
  "StepCompleted",
  "RetryScheduled",
  "Completed",
  "Failed",
  "Compensated",
  "Cancelled",
  "Rejected",
  "CancelAccepted",
  "CancelRejected",
] as const;

/** What a status message says. `Completed`, `Failed`, `Compensated` and `Cancelled` are ends. */
export type JobStatus = (typeof STATUSES)[number];

/** One message of the app about a job, as it was read from the reply queue. */
export interface StatusMessage {
  /** The same each time the app publishes it: `<jobId>:<attempt>:<status>`, and more where a step or a submission is meant. */
  readonly messageId: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly status: JobStatus;
  /** ISO 8601. */
  readonly at: string;
  readonly step?: string;
  /** In words, where a status needs them: why a job failed. */
  readonly detail?: string;
  readonly correlationId?: string;
  /** Of a rejection, all that is wrong with the submission, up to 50 faults. */
  readonly faults?: readonly string[];
  /** Of a rejection, which submission it is about: one job id may have been submitted several times. */
  readonly submissionId?: string;
  /** Of all but rejections: what was submitted, as content-digest.ts has it. An older app leaves it out. */
  readonly contentDigest?: string;
  /** Of a step that is completed, or of the whole job: what its workflow lets its requester know of the results. */
  readonly outputs?: Outputs;
}

/** What a workflow lets its requester know of the steps' results, by name. */
export type Outputs = { readonly [name: string]: string | number | boolean | null };

/** `all`: every status. `end`: only how it ended. */
export type WantedStatuses = "all" | "end";

export type EndStatus = Extract<JobStatus, "Completed" | "Failed" | "Compensated" | "Cancelled">;

/** The parts of a Service Bus message that a status is read from. */
export interface ReceivedMessage {
  readonly body: unknown;
  readonly messageId?: unknown;
  readonly correlationId?: unknown;
}

/** Undefined for what is no status message, and for a status that a newer app may have and this client does not know. */
export function readStatus(
  { body, messageId, correlationId }: ReceivedMessage,
  idName: string,
): StatusMessage | undefined {
  if (body === null || typeof body !== "object") return undefined;
  const known = body as Readonly<Record<string, unknown>>;
  const {
    [idName]: jobId,
    attempt,
    status: name,
    at,
    step,
    detail,
    faults,
    submissionId,
    contentDigest,
    outputs,
  } = known;
  const status = STATUSES.find((one) => one === name);
  if (typeof jobId !== "string" || typeof attempt !== "number" || !status) return undefined;
  return {
    messageId: typeof messageId === "string" ? messageId : `${jobId}:${attempt}:${status}:${String(step ?? "")}`,
    jobId,
    attempt,
    status,
    at: typeof at === "string" ? at : "",
    ...(typeof step === "string" && { step }),
    ...(typeof detail === "string" && { detail }),
    ...(typeof correlationId === "string" && { correlationId }),
    ...(Array.isArray(faults) && { faults: faults.map(String) }),
    ...(typeof submissionId === "string" && { submissionId }),
    ...(typeof contentDigest === "string" && { contentDigest }),
    ...(outputs !== null && typeof outputs === "object" && { outputs: outputs as Outputs }),
  };
}
