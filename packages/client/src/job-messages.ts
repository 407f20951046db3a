// What travels between a submitting application and the app: the job that it sends and the status messages that it receives (P15).

/**
 * The content of a job, as the contract of its workflow defines it. Its id is the member that the client's option
 * `idName` names: 1 to 80 letters, digits, - or _. The id identifies the job permanently: a job that is sent twice is one job. Both
 * members below are optional.
 */
export type JobRequest = object & {
  /** The app's usual workflow if absent. The client then needs its option `usualWorkflow`. */
  readonly workflow?: string | undefined;
  /** `normal` if absent. A high one is sent to a queue of its own. */
  readonly priority?: "normal" | "high" | undefined;
};

const STATUSES = [
  "Received",
  "Started",
  "StepCompleted",
  "StepReminder",
  "RetryScheduled",
  "Completed",
  "Failed",
  "Compensated",
  "Cancelled",
  "Rejected",
  "CancelAccepted",
  "CancelRejected",
] as const;

/** The status in a status message. `Completed`, `Failed`, `Compensated` and `Cancelled` are ends. */
export type JobStatus = (typeof STATUSES)[number];

/** One message of the app about a job, as it was read from the reply queue. */
export interface StatusMessage {
  /** The same each time the app sends it: `<jobId>:<attempt>:<status>`, with a further part for a step or a submission. */
  readonly messageId: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly status: JobStatus;
  /** ISO 8601. */
  readonly at: string;
  readonly step?: string;
  /** A text, for example why a job failed. */
  readonly detail?: string;
  readonly correlationId?: string;
  /** For a rejection: the faults of the submission, at most 50. */
  readonly faults?: readonly string[];
  /** For a rejection: the id of the submission, because a job id may be submitted several times. */
  readonly submissionId?: string;
  /** The digest of the submitted content (content-digest.ts). Absent in rejections, and from an older app. */
  readonly contentDigest?: string;
  /** The outputs of a completed step, or of the whole job. */
  readonly outputs?: Outputs;
  /** Of a `StepReminder`: the person, group or role that has to act. */
  readonly assignee?: string;
  /** Of a `StepReminder`, ISO 8601: the end of the wait. */
  readonly until?: string;
  /** Of a `StepReminder` about the step's compensation. */
  readonly direction?: "compensate";
}

/** The outputs of a workflow, by name. */
export type Outputs = { readonly [name: string]: string | number | boolean | null };

/** `all`: every status. `end`: only the end. */
export type WantedStatuses = "all" | "end";

export type EndStatus = Extract<JobStatus, "Completed" | "Failed" | "Compensated" | "Cancelled">;

/** The parts of a Service Bus message that a status is read from. */
export interface ReceivedMessage {
  readonly body: unknown;
  readonly messageId?: unknown;
  readonly correlationId?: unknown;
}

/** Undefined for what is no status message, and for a status that a newer app may have and this client does not know. It never throws. */
export function readStatus({ body, messageId, correlationId }: ReceivedMessage): StatusMessage | undefined {
  if (body === null || typeof body !== "object") return undefined;
  const known = body as Readonly<Record<string, unknown>>;
  const { jobId, attempt, status: name, at, step, detail, faults, submissionId, contentDigest, outputs } = known;
  const { assignee, until, direction } = known;
  const status = STATUSES.find((one) => one === name);
  if (typeof jobId !== "string" || !Number.isSafeInteger(attempt) || !status) return undefined;
  return {
    messageId: typeof messageId === "string" ? messageId : `${jobId}:${attempt}:${status}:${textOf(step)}`,
    jobId,
    attempt: attempt as number,
    status,
    at: typeof at === "string" ? at : "",
    ...(typeof step === "string" && { step }),
    ...(typeof detail === "string" && { detail }),
    ...(typeof correlationId === "string" && { correlationId }),
    ...(Array.isArray(faults) && { faults: faults.map(textOf) }),
    ...(typeof submissionId === "string" && { submissionId }),
    ...(typeof contentDigest === "string" && { contentDigest }),
    ...(outputs !== null && typeof outputs === "object" && { outputs: outputsIn(outputs) }),
    ...(typeof assignee === "string" && { assignee }),
    ...(typeof until === "string" && { until }),
    ...(direction === "compensate" && { direction }),
  };
}

/** What is no plain value is left out. */
function outputsIn(outputs: object): Outputs {
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => value === null || typeof value !== "object"));
}

/** A message may come from anybody who may send to the queue: an object's own `toString` may be anything. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
