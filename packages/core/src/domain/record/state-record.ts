// The state record (P2, P3): one document a job, with the record of each step inside.

import type { BusinessKeys, Priority, WantedStatuses } from "../content/job.ts";
import type { Decided, Skipped } from "../definition/skipped.ts";
import type { WorkflowRef } from "../definition/workflow.ts";

export const PROCESS_STATES = ["Pending", "Processing", "Processed", "Compensated", "Cancelled", "Error"] as const;
/** The state of a job. The last four are end states; an operator may resubmit a job in `Compensated`, `Cancelled` and `Error`. */
export type ProcessState = (typeof PROCESS_STATES)[number];

/** Only an operator can change a job in one of these states. */
export type EndState = Exclude<ProcessState, "Pending" | "Processing">;

export function hasEnded(processState: ProcessState | undefined): processState is EndState {
  return processState !== undefined && processState !== "Pending" && processState !== "Processing";
}
/** The supervisor could not recover it, for that reason: the next sweep to look at it is the first after `lookAgainAt`. */
export interface Unrecovered {
  readonly since: string;
  readonly lookAgainAt: string;
  readonly fault: string;
}

/**
 * `Scheduled`: it waits for its agent. `Running`: its agent has started. `Awaiting`: the agent's service has accepted it, and
 * will report the result. `Skipped`: it is not done, and its job continues without it.
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

/** The result of a step, for later steps and for the compensation: plain JSON. */
export type StepResult = { readonly [name: string]: ResultValue };

/** What a later step or a condition gets: the step's result; with `forEach` those of its runs, in the order of the items, null for a run without one. */
export type ReadResult = StepResult | readonly (StepResult | null)[];

/** The results of the completed steps, by step name. A skipped step has none, and neither has one whose list is empty. */
export type ReadResults = { readonly [step: string]: ReadResult };

/** `forward` runs the steps; `compensate` compensates them in reverse order (P13). */
export type Direction = "forward" | "compensate";

/** Why an agent was not done in time: the last technical error of its last try, or of the app's own code. */
export interface Expiry {
  readonly at: string;
  readonly attempt: number;
  /** How often the service was tried in that attempt; 0 where no endpoint took a call. */
  readonly tries: number;
  readonly endpoint: string | null;
  /** A status, or an error's text. */
  readonly message: string;
  /** An answer that the agent does not declare, or no credential: a person has to fix it. */
  readonly misconfigured?: boolean | undefined;
  /** The answer may be about this job alone. Absent: about the endpoint's address or the app's credential. */
  readonly ofRequest?: boolean | undefined;
  /** The app's own code threw: `endpoint` is the place. */
  readonly ofCode?: boolean | undefined;
}

/** The address for the report of a step that is done later. */
export interface Completion {
  /** Accepts a POST. It is a secret, because everyone who has it may report. The same for each try of the step. */
  readonly url: string;
  /** ISO 8601: how long the app waits for the report after the step was accepted. */
  readonly within: string;
}

/** The effect that a compensation reverses. */
export interface CompensationTarget {
  readonly result: StepResult | null;
  readonly idempotencyKey: string;
  /** The service's own id for the work, if it was to be done later. */
  readonly reference?: string | undefined;
}

/** Work that is not done yet, with its service's own id for it. */
export interface Awaited {
  readonly reference?: string | undefined;
}

/** Work that a service accepted, does later and reports. */
export interface Acceptance {
  readonly at: string;
  /** The service's own name for the work: for people, and for the service. */
  readonly reference?: string | undefined;
  /** The time and text of the service's latest report. */
  readonly lastReportAt?: string | undefined;
  readonly progress?: string | undefined;
  /** When its agent polls the service again; absent if the service reports by itself. */
  readonly pollAt?: string | undefined;
  /** When its assignee was reminded; null if it will be at half of its time. Absent: the step has no assignee. */
  readonly remindedAt?: string | null | undefined;
  /** Until then the pauses of its agent are part of its time. */
  readonly stoodStillUntil?: string | undefined;
  /** How often its wait goes on because the app was away at its end; of a service that is polled, since its last poll. */
  readonly givenAgain?: number | undefined;
}

/** A step's run in one direction. */
export interface StepRun {
  readonly state: StepState;
  /** The attempt that scheduled it. Step, direction and attempt identify one run: only its agent may record the outcome (P4). */
  readonly attempt?: number | undefined;
  readonly scheduledAt: string | null;
  /** Start-by: until when it may wait for its agent. After that it is scheduled again, and no failure is counted. */
  readonly startBy: string | null;
  /**
   * Running: the agent's deadline. Awaiting: until when the report is awaited. Scheduled: the deadline of an agent that started in time,
   * which needs no write.
   */
  readonly completeBy: string | null;
  /** How often the supervisor has retried this step because its agent timed out. */
  readonly retryCount: number;
  /** How many of those count against its failure threshold; an operator's resubmission sets it to none. Absent: none. */
  readonly failureCount?: number | undefined;
  /** How many of its latest attempts, in a row, had an answer that its agent does not declare. Absent: none. */
  readonly answerCount?: number | undefined;
  /** How often it was scheduled again while no agent was known to have started it. */
  readonly waitCount: number;
  readonly error: string | null;
  readonly endpoint: string | null;
  /** For a step that waits for a retry while others continue: the end of the wait. */
  readonly notBefore?: string | undefined;
  /** Why that endpoint was chosen (P19). */
  readonly because: string | null;
  /** When its agent started it, if that is known. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** The service's acceptance, and its reports since. */
  readonly accepted?: Acceptance | undefined;
  /** For a step whose outcome is reported: a random text that only its request and this record contain. The report has to contain it. */
  readonly nonce?: string | undefined;
  /** Over a queue: how often the request was sent again in this run because the agent requested it, and when it is sent next. */
  readonly again?: { readonly round: number; readonly at: string } | undefined;
  /** The last time-out of its agent with its error. It stays when the step is completed later. */
  readonly expiry?: Expiry | undefined;
  /**
   * A try may have taken effect: it was rejected or skipped after a try without an answer, an operator scheduled it again while it was at work, or the
   * agent of an operation that must not be repeated has taken it up and has not answered. `false`: no try can have taken effect.
   */
  readonly outcomeUnknown?: boolean | undefined;
}

/** A step: its forward run, its result, and its compensation's run, if there is one. */
export interface StepRecord extends StepRun {
  readonly agent: string;
  readonly result: StepResult | null;
  /** The attempt that completed it forward. */
  readonly completedIn?: number | undefined;
  readonly compensation: StepRun | null;
  /** Why a Skipped step was skipped. */
  readonly skipped?: Skipped | undefined;
  /** The result of a step's condition, which is evaluated once, before the step starts. */
  readonly decided?: Decided | undefined;
  /** The item of a list for which it runs, as it was at submission, in an operator's edit or in another step's result. Absent without a list. */
  readonly item?: StepResult | undefined;
  /** When its item was recorded, if that was with the result of another step. */
  readonly listedAt?: string | undefined;
  /** Why it has no runs: the list in the result of another step can't be used. */
  readonly listFault?: string | undefined;
  /** Who has to act while it awaits its report, as it was at submission or in an operator's edit. Absent: nobody in particular. */
  readonly assignee?: string | undefined;
  /** 1, and one more each time that the step starts again under another idempotency key. */
  readonly generation: number;
  /** The same for its compensation in this generation; 1 if absent. */
  readonly compensationGeneration?: number | undefined;
}

export type Steps = { readonly [name: string]: StepRecord };

/** Why a job is in Error, or was before it was resumed. */
export const ERROR_KINDS = [
  "rejected",
  "expired",
  "compensationIncomplete",
  "resolved",
  "compensationRequested",
  "cancelled",
  "deadlinePassed",
] as const;

export interface JobError {
  /**
   * `rejected`: a permanent fault. `expired`: too many attempts timed out. `compensationIncomplete`: a step
   * is not compensated, or has to be compensated manually; the message names it. `resolved`: an operator has handled it, and nothing is left to do.
   * `compensationRequested`: an operator requested the compensation. `cancelled`: its requester or an operator cancelled
   * it. `deadlinePassed`: it was not done by its deadline. A Compensated job keeps the kind of its cause.
   */
  readonly kind: (typeof ERROR_KINDS)[number];
  readonly message: string;
  readonly step: string | null;
  readonly agent: string | null;
  readonly at: string;
  /** `compensationIncomplete`: why the job was to be compensated. */
  readonly cause?: JobError | undefined;
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
  | "StepReminder"
  | "Completed"
  | "RetryScheduled"
  | "Failed"
  | "Compensated"
  | "Cancelled";

/** A status message that was decided in the same write and may not be sent yet. */
export interface OutboxMessage {
  readonly status: JobStatus;
  readonly attempt: number;
  readonly at: string;
  /** The step of the status, if it is about one; with the direction if it is about the step's compensation. */
  readonly step?: string;
  readonly direction?: "compensate";
}

/** One more with each change after which a record of the version before has to be changed to be read: see store/record-versions.ts. */
export const RECORD_VERSION = 1;

/**
 * The state of one job, without its content: one document, and each change of it is conditional. Instants are ISO 8601 in UTC.
 * An app's own agents may store members of their own in it: the core does not change unknown members.
 */
export interface StateRecord {
  readonly schemaVersion: number;
  readonly jobId: string;
  /** The business keys of its current content. */
  readonly keys: BusinessKeys;
  readonly workflow: WorkflowRef;
  readonly processState: ProcessState;
  /** The orchestration that holds the job: it alone starts steps. A step's outcome is recorded by its agent. */
  readonly lockedBy: string | null;
  /** When the first of the open steps is overdue; while Pending the deadline of the claim. In the past only if something is overdue. */
  readonly completeBy: string | null;
  /**
   * The number of failed attempts of all steps, in both directions. Decisions use each step's own count. An operator's resubmission or compensation
   * counts from zero again, and the history says so.
   */
  readonly failureCount: number;
  readonly attempt: number;
  readonly direction: Direction;
  /** An operator resubmitted it forward during its compensation: once that is finished, the job goes forward again. */
  readonly thenForward?: true | undefined;
  /** The revision of the job's content: 1 until an operator edits it. */
  readonly jobRevision: number;
  readonly priority: Priority;
  /** The owner of its submission queue; absent if it came by a shared queue. */
  readonly owner?: string | undefined;
  /** What it is counted by among the jobs of others: its owner, or a member of its content. Absent: it has none. */
  readonly fairnessKey?: string | undefined;
  /** The digest of the submitted content, for every status message. */
  readonly contentDigest: string;
  /** The statuses that its requester wants; all if absent. */
  readonly statuses?: WantedStatuses | undefined;
  readonly replyTo: string | null;
  /** The client's session of the reply queue, if the queue has sessions. */
  readonly replyToSessionId: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
  /** When the job was enqueued, by the broker's clock. */
  readonly enqueuedAt?: string | undefined;
  readonly steps: Steps;
  /** A step is or was done later. An index on it finds the jobs that await a report. Set with the acceptance, and never cleared. */
  readonly hasWaited?: true;
  readonly error: JobError | null;
  /** When the supervisor has to read it; absent when the job has ended and all messages are sent. The sweep's only index. */
  readonly dueAt?: string;
  /** When its workflow's `deadline` passes. Only a job that goes forward has it, until it ends: the index on it has no other. */
  readonly deadlineAt?: string | null;
  readonly unrecovered?: Unrecovered | undefined;
  /** Since when the job is over, with all messages sent, and is not closed; null if a message is to be sent again. */
  readonly overAt?: string | null;
  /** The same for a job that did not end Processed, which may still be resubmitted. */
  readonly overInErrorAt?: string | null;
  /** The job is closed: its secrets are removed, and its documents are removed at this instant. */
  readonly keptUntil?: string | null;
  readonly history: readonly HistoryEntry[];
  readonly outbox: readonly OutboxMessage[];
  /** The last attempt that its requester is notified of as RetryScheduled, by whoever starts it: see owed.ts. */
  readonly retryScheduled?: { readonly attempt: number; readonly at: string };
  /** The last messages that were sent besides. Absent: none. */
  readonly published?: readonly OutboxMessage[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Each attempt is its own orchestration: this is its id. */
export function attemptId(jobId: string, attempt: number): string {
  return `${jobId}-${attempt}`;
}

/**
 * The content of `lockedBy`: the orchestration, and its task hub. Two hosts with their own hubs, as in two regions, may both start the same
 * attempt; then one holds the job and the other is rejected (P4).
 */
export function holderId(jobId: string, attempt: number, taskHub: string): string {
  return `${attemptId(jobId, attempt)}@${taskHub}`;
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

type Plain = string | number | boolean | null;
type Nested<Inner> = Plain | readonly Inner[] | { readonly [name: string]: Inner };

/** A value in a result, with lists and objects in it: with the result itself as many levels as record-limits.ts has (`RESULT_LEVELS`). */
export type ResultValue = Nested<Nested<Nested<Nested<Plain>>>>;
