// The words for a job: its states, why it is in Error, what can be done with it.
import { counted } from "@scheduler-agent-supervisor/core/domain";
import type { ErrorKind, JobAction, ProcessState, SkipCause, StepState } from "../api/contract.ts";
import { say } from "./say.ts";

export const STATES: { readonly [state in ProcessState]: string } = {
  Pending: "Waiting",
  Processing: "In progress",
  Processed: "Processed",
  Compensated: "Compensated",
  Cancelled: "Cancelled",
  Error: "Error",
};

export const STEP_STATES: { readonly [state in StepState]: string } = {
  NotStarted: "Not started",
  Scheduled: "Scheduled",
  Running: "Running",
  Awaiting: "Awaiting a report",
  Completed: "Completed",
  Skipped: "Skipped",
  Failed: "Failed",
  Compensated: "Compensated",
};

export const SKIP_CAUSES: { readonly [cause in SkipCause]: string } = {
  condition: "Its condition is false",
  needs: "A step that it needs was skipped",
  notNeeded: "Not needed",
  get rejected() {
    return say`Rejected by its service; the {job} continues without it`;
  },
  get expired() {
    return say`Timed out; the {job} continues without it`;
  },
};

export const KINDS: { readonly [kind in ErrorKind]: string } = {
  rejected: "Rejected by a service",
  expired: "Timed out",
  compensationIncomplete: "Compensation incomplete",
  resolved: "Marked resolved",
  compensationRequested: "Compensation requested",
  cancelled: "Cancelled",
  deadlinePassed: "Deadline passed",
};

export const ACTIONS: { readonly [action in JobAction]: { readonly name: string; readonly about: string } } = {
  resubmit: {
    name: "Resubmit",
    get about() {
      return say`Use this when the cause is fixed: the {job} continues from the failed step, or with its compensation if it was being compensated. Completed steps do not run again.`;
    },
  },
  compensate: { name: "Compensate", about: "Compensates the completed steps, in reverse order." },
  cancel: {
    name: "Cancel",
    get about() {
      return say`Ends the {job}. If steps had an effect, they are compensated first.`;
    },
  },
  extend: {
    name: "Extend",
    get about() {
      return say`The supervisor waits longer before it acts on the {job}.`;
    },
  },
  markResolved: {
    name: "Mark resolved",
    about: "The remaining work was done manually. No service is called, and no message is sent.",
  },
};

/** Of steps whose outcome is unknown. */
export const OUTCOMES = {
  name: (step: string, direction: "forward" | "compensate", outcome: "done" | "notDone") =>
    `Record ${direction === "forward" ? step : `the compensation of ${step}`} as ${outcome === "done" ? "done" : "not done"}`,
  about: {
    get done() {
      return say`Its service has done it, as a person has found out: the {job} continues, and the step is not tried again.`;
    },
    get notDone() {
      return say`Its service has not done it, as a person has found out: the {job} continues, and the step is tried again. If the service has done it, it does it twice.`;
    },
  },
  get reasonHint() {
    return say`How this was found out. It is stored with the {job} and in the audit log.`;
  },
} as const;

/** How much more time a job may get. */
export const EXTENSIONS = {
  PT10M: "10 minutes",
  PT30M: "30 minutes",
  PT1H: "1 hour",
  PT4H: "4 hours",
  P1D: "1 day",
} as const;
export const USUAL_EXTENSION = "PT30M";

export const JOB = {
  attempts: {
    title: "Attempts",
    about: (count: number) => `The last ${count}, the latest first`,
    from: "Begun",
    took: "Took",
    began: "Why it began",
    steps: "Steps in it",
    ended: "How it ended",
    underWay: "Under way",
  },
  actions: "Actions",
  cause: "Why it needs a person",
  ended: "Why it ended",
  under: "What has gone wrong so far",
  steps: "Steps",
  graph: "Steps as a graph",
  timeline: "Timeline",
  timelineAbout: (from: string, to: string) => `${from} to ${to}, to scale`,
  waiting: "Waiting",
  running: "Running",
  compensation: (step: string) => `${step}, compensation`,
  events: "Events",
  history: "History",
  /** An attempt holds a job under an id of its own. */
  by: (holder: string) => holder.replace(/^.*-(\d+)@[^@]*$/, "attempt $1"),
  failedOnly: "Only what failed",
  nothingFailed: "Nothing has failed.",
  shownOf: (shown: number, all: number) => `${shown.toLocaleString("en")} of ${all.toLocaleString("en")}`,
  mark: (what: string, count: number) => (count === 1 ? what : `${what}, and ${(count - 1).toLocaleString("en")} more`),
  accepted: "Accepted by its service, which does it later",
  reference: (name: string) => `reference ${name}`,
  awaited: "its report is awaited until",
  received: "last report at",
  expiry: (attempt: number, tries: number) =>
    `Not done in time in attempt ${attempt}, after ${counted(tries, "try", "tries")}`,
  ofCode: "The app's own code threw: deploy a version that does not.",
  misconfigured: "The request, the endpoint's address or the app's credential for it is wrong: fix that first.",
  content: "Content",
  details: "Details",
  result: "Result",
  endpoint: "Endpoint",
  tries: (count: number) => counted(count, "retry", "retries"),
  countedFailures: (count: number) => (count === 1 ? "1 counted as a failure" : `${count} counted as failures`),
  waits: (count: number) => `waited ${counted(count, "time")} for its agent`,
  afterSteps: (names: string) => `after ${names}`,
  first: "first",
  statuses: "Status messages",
  statusesTo: (queue: string, owed: number) =>
    owed === 0
      ? `To ${queue}: nothing is owed.`
      : `To ${queue}: ${owed === 1 ? "1 is" : `${owed} are`} still to be sent.`,
  nobodyAsked: "The sender named no reply queue: no message is sent.",
  inAttempt: (attempt: number) => `attempt ${attempt}`,
  deliveries: { sent: "sent", owed: "to be sent", unwanted: "not asked for" },
  none: "none",
  notPossible: "Not possible now",
  confirm: (action: string, jobId: string, environment: string) => `${action} ${jobId} (${environment})`,
  confirmReport: (report: string, jobId: string, environment: string) => `${report}: ${jobId} (${environment})`,
  edit: "Edit and resubmit",
  extendBy: "By",
  get continued() {
    return say`The compensation of this {job} continues with the steps that are not compensated.`;
  },
  nextKey: (steps: readonly string[]) =>
    `Rejected for good, so it runs again under its next idempotency key: ${steps.join(", ")}`,
  sameKey: (steps: readonly string[]) =>
    `The outcome is unknown, so it runs again under the same idempotency key: ${steps.join(", ")}`,
  get forward() {
    return say`Take this {job} forward again instead`;
  },
  get manual() {
    return say`A person has compensated the remaining effects of this {job}`;
  },
  get changedTitle() {
    return say`Somebody else has changed this {job}`;
  },
  changedAbout: "Your draft is kept. This is what changed since you opened it:",
  nothingChanged: "Nothing that is shown here.",
  again: "I have seen the change",
  done: (action: string) => `${action}: done.`,
  before: "Before",
  after: "After",
  changes: "Your changes",
  noChanges: "You have not changed anything yet.",
  wordMissing: "Confirm this first.",
  add: (what: string) => `Add to ${what}`,
  remove: (what: string) => `Remove ${what}`,
  empty: "(empty)",
  labels: {
    workflow: "Workflow",
    attempt: "Attempt",
    failures: "Failures counted",
    priority: "Priority",
    owner: "Sender",
    created: "Received",
    updated: "Last change",
    due: "Due",
    deadline: "Deadline",
    correlation: "Correlation id",
    trace: "Trace id",
    revision: "Revision of the content",
    direction: "Direction",
  },
  directions: { forward: "forward", compensate: "compensation" },
} as const;

export const AUDIT = {
  title: "Audit",
  show: "Show what operators and supervisors did",
  nothing: "The audit log has no entry about it.",
  all: "All actions and decisions",
  latest: (count: number) => `The latest ${count} actions and decisions`,
  lateReplies: "The latest replies that no step waited for any more",
} as const;
