// The words for a job: its states, why it is in Error, what can be done with it.
import type { ErrorKind, JobAction, ProcessState, SkipCause, StepState } from "../api/contract.ts";
import { say } from "./noun.ts";

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
  condition: "Its condition does not hold",
  needs: "A step that it needs was skipped",
  notNeeded: "Not needed",
  get rejected() {
    return say`Rejected by its service; the {job} goes on without it`;
  },
  get expired() {
    return say`Ran out of time; the {job} goes on without it`;
  },
};

export const KINDS: { readonly [kind in ErrorKind]: string } = {
  rejected: "Rejected by a service",
  expired: "Ran out of time",
  compensationIncomplete: "Compensation incomplete",
  resolved: "Marked resolved",
  compensationRequested: "Compensation requested",
  cancelled: "Cancelled",
};

export const ACTIONS: { readonly [action in JobAction]: { readonly name: string; readonly about: string } } = {
  resubmit: {
    name: "Resubmit",
    get about() {
      return say`Once the cause is fixed: the {job} goes on from the step that failed. Completed steps do not run again.`;
    },
  },
  compensate: { name: "Compensate", about: "What the completed steps did is taken back, in reverse order." },
  cancel: {
    name: "Cancel",
    get about() {
      return say`Ends the {job}. If steps had an effect, they are compensated first.`;
    },
  },
  extend: {
    name: "Extend",
    get about() {
      return say`The supervisor leaves the {job} alone for longer.`;
    },
  },
  markResolved: {
    name: "Mark resolved",
    about: "You have done manually what was left to do. No service is called, and nobody is notified.",
  },
};

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
  failedOnly: "Only what failed",
  nothingFailed: "Nothing has failed.",
  shownOf: (shown: number, all: number) => `${shown.toLocaleString("en")} of ${all.toLocaleString("en")}`,
  mark: (what: string, count: number) => (count === 1 ? what : `${what}, and ${(count - 1).toLocaleString("en")} more`),
  accepted: "Accepted by its service, which does it later",
  reference: (name: string) => `reference ${name}`,
  awaited: "its report is awaited until",
  received: "last report at",
  expiry: (attempt: number, tries: number) =>
    `Not done in time in attempt ${attempt}, after ${tries === 1 ? "1 try" : `${tries} tries`}`,
  misconfigured: "The endpoint's address or the app's credential for it is wrong: fix that first.",
  content: "Content",
  details: "Details",
  result: "Result",
  endpoint: "Endpoint",
  tries: (count: number) => `${count} retries`,
  countedFailures: (count: number) => `${count} counted as failures`,
  waits: (count: number) => `waited ${count} times for its agent`,
  afterSteps: (names: string) => `after ${names}`,
  first: "first",
  statuses: "Status messages",
  statusesTo: (queue: string, owed: number) =>
    owed === 0
      ? `To ${queue}: nothing is owed.`
      : `To ${queue}: ${owed === 1 ? "1 is" : `${owed} are`} still to be sent.`,
  nobodyAsked: "Its sender named no queue for replies: nothing is sent.",
  inAttempt: (attempt: number) => `attempt ${attempt}`,
  standings: { sent: "sent", owed: "to be sent", unwanted: "not asked for" },
  none: "none",
  notPossible: "Not possible now",
  confirm: (action: string, jobId: string, environment: string) => `${action} ${jobId} (${environment})`,
  confirmReport: (report: string, jobId: string, environment: string) => `${report}: ${jobId} (${environment})`,
  edit: "Edit and resubmit",
  extendBy: "By",
  get manual() {
    return say`A person has compensated what this {job}'s compensation left`;
  },
  get changedTitle() {
    return say`Somebody else has changed this {job}`;
  },
  changedAbout: "Your draft is kept. This is what changed since you opened it:",
  nothingChanged: "Nothing that is shown here.",
  again: "I have seen the change",
  done: (action: string) => `${action}: done.`,
  doneLater: (action: string, at: string) =>
    `${action}: done. The next attempt starts at ${at}, when no agent is at work any more.`,
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
  nothing: "Neither an operator nor a supervisor has done anything about it, as far back as the audit log is kept.",
  all: "All actions and decisions",
  latest: (count: number) => `The latest ${count} actions and decisions`,
  by: "By",
  supervisor: "supervisor",
  outcome: "Outcome",
  rejected: "rejected",
} as const;
