// The state record (P2, P3): one document a job, with the record of each step inside.
import type { BusinessKeys } from "./business-keys.ts";
import { runOfItem } from "./items.ts";
import type { Priority } from "./job.ts";
import type { WantedStatuses } from "./outputs.ts";
import type { Workflow, WorkflowRef } from "./workflow.ts";

export const PROCESS_STATES = ["Pending", "Processing", "Processed", "Compensated", "Cancelled", "Error"] as const;
/** Where a job stands as a whole. The last four are ends; from `Compensated`, `Cancelled` and `Error` an operator may have it go on. */
export type ProcessState = (typeof PROCESS_STATES)[number];

/** A job in one of these changes by an operator alone. */
export type EndState = Exclude<ProcessState, "Pending" | "Processing">;

export function hasEnded(processState: ProcessState | undefined): processState is EndState {
  return processState !== undefined && processState !== "Pending" && processState !== "Processing";
}
/**
 * `Scheduled`: it waits for its agent to take it up. `Running`: its agent is known to be at work. `Awaiting`: the agent's service has accepted it, and
 * what comes of it will be reported. `Skipped`: it is not done, and its job goes on without it.
 */
export type StepState =
  | "NotStarted"
  | "Scheduled"
  | "Running"
  | "Awaiting"
  | "Completed"
  | "Skipped"
  | "Failed"
  | "Compensated";

/** What an agent recorded of its work, for later steps and for the compensation: plain JSON. */
export type StepResult = { readonly [name: string]: string | number | boolean | null };

/** `forward` does the steps; `compensation` takes back what was done, in reverse order (P13). */
export type Direction = "forward" | "compensate";

/** Why an agent was not done in time: the last technical error of its last try. */
export interface Expiry {
  readonly at: string;
  readonly attempt: number;
  /** How often the service was tried in that attempt; 0 where no endpoint took a call. */
  readonly tries: number;
  readonly endpoint: string | null;
  /** A status, or an error's text. */
  readonly message: string;
  /** The endpoint's address or our credential for it is wrong: a person has to fix that. */
  readonly misconfigured?: boolean | undefined;
}

/** Where what came of a step is reported by whoever does it later. */
export interface Completion {
  /** Takes a POST; a secret, since whoever has it may report. The same for each try of the step. */
  readonly url: string;
  /** ISO 8601: how long the report is waited for, from when the step is accepted. */
  readonly within: string;
}

/** What a compensation takes back. */
export interface CompensationTarget {
  readonly result: StepResult | null;
  readonly idempotencyKey: string;
  /** What its service called it when it accepted it, where it was to be done later. */
  readonly reference?: string | undefined;
}

/** What is not done yet, by its service's own name for it. */
export interface Awaited {
  readonly reference?: string | undefined;
}

/** A service does what was asked of it later, and reports it. */
export interface Acceptance {
  readonly at: string;
  /** The service's own name for what it does: for people, and for the service. */
  readonly reference?: string | undefined;
  /** When whoever does it was last received of, and what it said. */
  readonly lastReportAt?: string | undefined;
  readonly progress?: string | undefined;
  /** When its agent asks the service again; absent where the service reports by itself. */
  readonly pollAt?: string | undefined;
}

/**
 * Why a step is skipped. `condition`: what it depends on does not hold. `needs`: a step is skipped that it can't do without. `notNeeded`: the step that it
 * stands in for is done, or not to be done. `rejected`: it was rejected for good. `expired`: its tries are used up.
 */
export const SKIP_CAUSES = ["condition", "needs", "notNeeded", "rejected", "expired"] as const;

export interface Skipped {
  readonly cause: (typeof SKIP_CAUSES)[number];
  /** In words, with what a service answered last. */
  readonly message: string;
}

/** What a step's condition said when it was asked. */
export interface Decided {
  readonly condition: string;
  readonly holds: boolean;
  readonly at: string;
}

/** A step's run in one direction. */
export interface StepRun {
  readonly state: StepState;
  /** The attempt that scheduled it. Step, direction and this name one run: nobody but its agent may record what came of it (P4). */
  readonly attempt?: number | undefined;
  readonly scheduledAt: string | null;
  /** Schedule-to-start: how long it may wait for its agent. Past it the wait is over, and no failure is counted. */
  readonly startBy: string | null;
  /**
   * Start-to-close. Of a Running step: when its agent is done or stops. Of an Awaiting one: until when its completion is waited for. Of a Scheduled one: when an agent that took it up in time,
   * for which no write is needed, is done or stops.
   */
  readonly completeBy: string | null;
  /** How often the supervisor has had this step run again because its agent was not done in time. */
  readonly retryCount: number;
  /** How many of those count against its failure threshold: none where an operator had it run again. Absent: none. */
  readonly failureCount?: number | undefined;
  /** How often it was scheduled again because no agent took it up in time. */
  readonly waitCount: number;
  readonly error: string | null;
  readonly endpoint: string | null;
  /** Of a step that is to be run again after a pause, while others go on: when that is over. */
  readonly notBefore?: string | undefined;
  /** Why that endpoint was chosen (P19). */
  readonly because: string | null;
  /** When its agent took it up, as far as that is known. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** What its service said when it accepted it, and has reported since. */
  readonly accepted?: Acceptance | undefined;
  /** Of a step whose outcome is reported: a random text that only its request and this record have, and that whoever reports it has to show. */
  readonly nonce?: string | undefined;
  /** Over a queue: how often its agent is asked in this run, itself wanting to be asked again, and when it is next. */
  readonly again?: { readonly round: number; readonly at: string } | undefined;
  /** The last time that its agent was not done in time and could say why. It stays when the step is done later. */
  readonly expiry?: Expiry | undefined;
  /** Of a compensation that a version of the app began that said "undo": its idempotency key keeps that word, since its service may know it. */
  readonly keyWord?: string | undefined;
}

/** A step: its forward run, what that recorded, and the run that compensates it, if there is one. */
export interface StepRecord extends StepRun {
  readonly agent: string;
  readonly result: StepResult | null;
  /** The attempt that completed it forward. */
  readonly completedIn?: number | undefined;
  readonly compensation: StepRun | null;
  /** Of a Skipped step: why. */
  readonly skipped?: Skipped | undefined;
  /** Of a step with a condition: asked once, before the step began. */
  readonly decided?: Decided | undefined;
  /** It was rejected, or skipped, after a try that got no answer, which may yet take effect: a compensation sees to it. */
  readonly outcomeUnknown?: boolean | undefined;
  /** 1, and one more each time that the step begins anew under another idempotency key. */
  readonly generation: number;
}

export type Steps = { readonly [name: string]: StepRecord };

/** Why a job is in Error, or was before it was asked to go on. */
export const ERROR_KINDS = [
  "rejected",
  "expired",
  "compensationIncomplete",
  "resolved",
  "compensationRequested",
  "cancelled",
] as const;

export interface JobError {
  /**
   * `rejected`: an agent knows the fault to be permanent. `expired`: too many attempts ran out of time. `compensationIncomplete`: something
   * remains to be compensated manually; the message names it. `resolved`: an operator has handled it, and nothing is left to do.
   * `compensationRequested`: nothing went wrong, an operator wants it compensated. `cancelled`: its requester or an operator does not want
   * it any more. A Compensated job keeps the kind of its cause.
   */
  readonly kind: (typeof ERROR_KINDS)[number];
  readonly message: string;
  readonly step: string | null;
  readonly agent: string | null;
  readonly at: string;
}

export interface HistoryEntry {
  readonly at: string;
  readonly what: string;
  readonly by: string;
}

export type JobStatus =
  | "Received"
  | "Started"
  | "StepCompleted"
  | "Completed"
  | "RetryScheduled"
  | "Failed"
  | "Compensated"
  | "Cancelled";

/** Something to be published that was decided in the same write and is not yet known to be sent. */
export interface OutboxMessage {
  readonly status: JobStatus;
  readonly attempt: number;
  readonly at: string;
  /** The step that a status is about, where it is about one. */
  readonly step?: string;
}

/** One more with each change after which a record of the version before has to be changed to be read: see store/record-versions.ts. */
export const RECORD_VERSION = 3;

/**
 * All that is recorded of one job besides its content: one document, and each change of it is conditional. Instants are ISO 8601 in UTC.
 * An app's own agents may keep members of their own in it: what the core does not know it leaves as it is.
 */
export interface StateRecord {
  readonly schemaVersion: number;
  readonly jobId: string;
  /** Of its content as it is now. Absent where a version of the app recorded it that had none. */
  readonly keys?: BusinessKeys;
  readonly workflow: WorkflowRef;
  readonly processState: ProcessState;
  /** The orchestration that holds the job: it alone starts steps. What came of one is recorded by whoever was asked to do it. */
  readonly lockedBy: string | null;
  /** The time by which the first of the steps in hand, or while Pending the claim, has to be complete. */
  readonly completeBy: string | null;
  /** How many attempts have failed in this direction, of whatever step: each step's own count decides. */
  readonly failureCount: number;
  readonly attempt: number;
  readonly direction: Direction;
  /** Which version of the job's content the steps work on: 1 until an operator edits it. */
  readonly jobRevision: number;
  readonly priority: Priority;
  /** The sender that it came from, by a queue to which nobody else may send; absent by a queue that several share. */
  readonly owner?: string | undefined;
  /** Of what was submitted: every status message carries it. Absent where a version of the app recorded the job that had none. */
  readonly contentDigest?: string | undefined;
  /** Which statuses its requester wants; all if absent. */
  readonly statuses?: WantedStatuses | undefined;
  readonly replyTo: string | null;
  /** The session of the reply queue that the client listens to, where the queue has sessions. */
  readonly replyToSessionId: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
  /** When the job came into its queue, by the broker's clock. */
  readonly enqueuedAt?: string;
  readonly steps: Steps;
  /** A step of it is done later, or was: by this the index finds what awaits a report. Set with the acceptance, and never cleared. */
  readonly hasWaited?: true;
  /** Pending: until then agents of an attempt before may still be at work, also where no step says so any more. */
  readonly busyUntil?: string;
  readonly error: JobError | null;
  /** When the supervisor has to look at it; absent once the job ended and all is published. The sweep's only index. */
  readonly dueAt?: string;
  /**
   * Since when the job is over, with nothing left to publish, and its documents are as they were; null where something is to be published
   * again.
   */
  readonly overAt?: string | null;
  /** The same of a job that ended otherwise than Processed, which may still be resubmitted. */
  readonly overInErrorAt?: string | null;
  /** Closed: its secrets are removed, and all of its documents go at this instant. */
  readonly keptUntil?: string | null;
  readonly history: readonly HistoryEntry[];
  readonly outbox: readonly OutboxMessage[];
  /** The last of those that were sent and taken out of there. Absent: none. */
  readonly published?: readonly OutboxMessage[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Each attempt is an orchestration of its own: this is its id. */
export function attemptId(jobId: string, attempt: number): string {
  return `${jobId}-${attempt}`;
}

/**
 * What `lockedBy` holds: the orchestration, and the task hub that it is in. Two hosts with hubs of their own, as in two
 * regions, may both come to start the same attempt; then one holds the job and the other is rejected (P4).
 */
export function holderId(jobId: string, attempt: number, taskHub: string): string {
  return `${attemptId(jobId, attempt)}@${taskHub}`;
}

/** The key under which a remote service recognises every try of a step, in every attempt (P6). */
export function idempotencyKey(
  jobId: string,
  step: string,
  direction: Direction,
  generation: number,
  keyWord: string = direction,
): string {
  const key = `${jobId}:${step}:${keyWord}`;
  return generation === 1 ? key : `${key}:${generation}`;
}

/** Who asked for a job, and what was asked for. */
export interface Submission {
  readonly jobId: string;
  readonly keys?: BusinessKeys | undefined;
  readonly priority: Priority;
  readonly owner?: string | undefined;
  readonly contentDigest?: string | undefined;
  readonly statuses?: WantedStatuses | undefined;
  readonly replyTo: string | null;
  readonly replyToSessionId: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
  readonly enqueuedAt?: string | undefined;
}

/** How many items the lists of a workflow's steps have, by the list's name. */
export type ItemCounts = { readonly [list: string]: number };

/**
 * A new job's state record: Pending, unlocked, no step started. A step that is done for each item has a record for each from the start.
 * @param items of the lists that its workflow names
 */
export function newStateRecord(
  submission: Submission,
  workflow: Workflow,
  now: string,
  claimBy: string,
  items: ItemCounts = {},
): StateRecord {
  const steps = workflow.steps.flatMap(({ name, agent, forEach }) => {
    const count = forEach === undefined ? undefined : (items[forEach] ?? 0);
    const runs = count === undefined ? [name] : Array.from({ length: count }, (_, index) => runOfItem(name, index + 1));
    return runs.map((run): [string, StepRecord] => [
      run,
      { ...NOT_STARTED, agent, result: null, compensation: null, generation: 1 },
    ]);
  });
  return {
    schemaVersion: RECORD_VERSION,
    jobId: submission.jobId,
    ...(submission.keys && { keys: submission.keys }),
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
    ...(submission.contentDigest && { contentDigest: submission.contentDigest }),
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

/** A run that has not begun. */
export const NOT_STARTED: StepRun = {
  state: "NotStarted",
  scheduledAt: null,
  startBy: null,
  completeBy: null,
  retryCount: 0,
  waitCount: 0,
  error: null,
  endpoint: null,
  because: null,
  startedAt: null,
  endedAt: null,
};
