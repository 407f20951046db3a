// The supervisor's verdicts on an overdue record (P10, P11): one row each says what its write does, and what follows it.
import type { RunInHand } from "../record/plan.ts";
import type { Reminder } from "../record/reminder.ts";
import type { transitions } from "./transitions.ts";

/** The failed step: the one that decides, null if none is open, and how many of its attempts have failed since it last began. */
export interface Failed {
  readonly step: string | null;
  readonly failures: number;
  /** The budget that they count against, if it is not that of the step's requests. */
  readonly budget?: "compensation" | "wait" | "answer";
  /** The runs, by `runKey`, that failed because no agent took them up. */
  readonly untaken?: readonly string[];
}

export interface Skips {
  /** The steps that the job continues without: the possible effect of a skipped step is left to a person. */
  readonly skips?: readonly string[];
}

/** The run as it goes on. */
export interface ProlongedWait extends RunInHand {
  /** It has not gone on for that reason before. */
  readonly isFirst: boolean;
}

export type Verdict =
  /** The attempt timed out: another one, from the step that it had reached. */
  | ({ readonly kind: "retry" } & Failed & Skips)
  /** At the threshold: another one, later. */
  | ({ readonly kind: "wait"; readonly waitMs: number } & Failed & Skips)
  /** All attempts of a step are used up that the job can continue without: another one, without it. */
  | ({ readonly kind: "skip" } & Failed & Skips)
  /** The endpoint's address or the app's credential for it is wrong: another one, later, with no failure counted, until a person has fixed it. */
  | { readonly kind: "hold"; readonly waitMs: number }
  /** Its service answered with what the agent does not declare: the same, and the client is told. */
  | { readonly kind: "holdForAnswer"; readonly waitMs: number }
  /** The app's own code threw: another one, later, with no failure counted, until a version is deployed whose code does not. */
  | { readonly kind: "holdForCode"; readonly waitMs: number }
  /** All attempts are used up: the completed steps are compensated. */
  | ({ readonly kind: "compensate" } & Failed)
  /** All attempts are used up: an operator must act. */
  | ({ readonly kind: "fail" } & Failed)
  /** No agent took up the step that it waits for, because there is too much to do: another attempt, with no failure counted. */
  | { readonly kind: "reschedule" }
  /** The wait of its steps is over: a pause, a step that is to be compensated, or a missed poll. Another attempt, with no failure counted. */
  | { readonly kind: "resume" }
  /** No step of it is overdue, or enough others are scheduled again: it is checked again then. */
  | { readonly kind: "later"; readonly at: string }
  /** Waits would be over, for a time that is not their services': they go on. */
  | { readonly kind: "prolong"; readonly waits: readonly ProlongedWait[] }
  /** Half of the time of a step that waits for a person is over. */
  | { readonly kind: "remind"; readonly due: readonly Reminder[] }
  /** No attempt claimed it: the scheduler is notified again. No failure is counted. */
  | { readonly kind: "repeatStart" }
  /** It ended, or a reminder is due, but its messages may not all have been published. */
  | { readonly kind: "publish" };

/** On a job whose deadline has passed: see pass-deadline.ts. No failure is counted. */
export type DeadlineVerdict =
  /** What is done of it is compensated. */
  | { readonly kind: "compensateAtDeadline"; readonly deadlineAt: string }
  /** An operator must act. */
  | { readonly kind: "failAtDeadline"; readonly deadlineAt: string }
  /** No deadline applies to it any more. */
  | { readonly kind: "dropDeadline" };

export type AnyVerdict = Verdict | DeadlineVerdict;

export function isOfDeadline(verdict: AnyVerdict): verdict is DeadlineVerdict {
  return "deadlineAt" in verdict || verdict.kind === "dropDeadline";
}

interface Row {
  /** What the write does to the record's state. */
  readonly makes: keyof typeof transitions | null;
  /** The status that the client gets. */
  readonly status: "RetryScheduled" | "Failed" | null;
  /** The entry in the record's history, of the overdue steps and the end of the wait. */
  readonly entry: ((what: string, until: string | undefined) => string) | null;
  /** Its count in a sweep's report. */
  readonly countedAs: string;
  /** Its event after the write, and the attributes beside the job and its attempt. Compensation and Error raise theirs with their message. */
  readonly event: {
    readonly name: string;
    readonly has: readonly ("step" | "agent" | "failureCount" | "until")[];
  } | null;
  /** Whether the next attempt is started. */
  readonly isStarted: boolean;
}

const NEXT = { status: null, event: null, isStarted: true } as const;
const STAYS = { ...NEXT, entry: null, isStarted: false } as const;
const ANNOUNCED = { ...NEXT, status: "RetryScheduled" } as const;

export const VERDICTS = {
  retry: {
    ...ANNOUNCED,
    makes: "retried",
    entry: (what) => `expired in ${what}, retried`,
    countedAs: "retried",
    event: { name: "JobRetried", has: ["step", "agent", "failureCount"] },
  },
  wait: {
    ...ANNOUNCED,
    makes: "waited",
    entry: (what, until) => `expired in ${what}, to be retried at ${until}`,
    countedAs: "waiting",
    event: { name: "JobWaits", has: ["step", "agent", "failureCount", "until"] },
  },
  skip: { ...NEXT, makes: "skipped", entry: (what) => `expired in ${what}, goes on without`, countedAs: "skipped" },
  compensate: {
    ...NEXT,
    makes: "compensationBegun",
    entry: (what) => `expired in ${what}, to be compensated`,
    countedAs: "toBeCompensated",
  },
  fail: {
    ...NEXT,
    makes: "givenUp",
    status: "Failed",
    entry: (what) => `expired in ${what}, given up`,
    countedAs: "failed",
    isStarted: false,
  },
  hold: {
    ...NEXT,
    makes: "held",
    entry: (what, until) => `${what} needs an endpoint's address or credential fixed, to be tried again at ${until}`,
    countedAs: "held",
    event: { name: "JobHeld", has: ["step", "agent", "until"] },
  },
  holdForAnswer: {
    ...ANNOUNCED,
    makes: "held",
    entry: (what, until) => `${what} had an answer that its agent does not declare, to be tried again at ${until}`,
    countedAs: "held",
    event: { name: "JobHeld", has: ["step", "agent", "until"] },
  },
  holdForCode: {
    ...NEXT,
    makes: "held",
    entry: (what, until) => `the app's own code threw in ${what}, to be tried again at ${until}`,
    countedAs: "held",
    event: { name: "JobHeld", has: ["step", "agent", "until"] },
  },
  reschedule: {
    ...NEXT,
    makes: "rescheduled",
    entry: (what) => `no agent took up ${what}, scheduled again`,
    countedAs: "rescheduled",
    event: { name: "JobRescheduled", has: ["step", "agent", "failureCount"] },
  },
  resume: {
    ...NEXT,
    makes: "resumed",
    entry: () => "goes on",
    countedAs: "resumed",
    event: { name: "JobResumed", has: [] },
  },
  repeatStart: {
    ...NEXT,
    makes: "startRepeated",
    entry: () => "nobody claimed it, started again",
    countedAs: "startsRepeated",
    event: { name: "AttemptStartRepeated", has: [] },
  },
  later: { ...STAYS, makes: "lookedAtEarly", countedAs: "later" },
  prolong: {
    ...STAYS,
    makes: "lookedAtEarly",
    entry: (what) => `${what} goes on waiting: its agent was paused, or the app was away`,
    countedAs: "later",
  },
  remind: {
    ...STAYS,
    makes: "lookedAtEarly",
    entry: (what) => `half of the time of ${what} is over, a reminder is sent`,
    countedAs: "later",
  },
  publish: { ...STAYS, makes: null, countedAs: "published" },
  compensateAtDeadline: { ...NEXT, makes: null, entry: null, countedAs: "toBeCompensated" },
  failAtDeadline: { ...STAYS, makes: null, status: "Failed", countedAs: "failed" },
  dropDeadline: { ...STAYS, makes: null, countedAs: "later" },
} as const satisfies { readonly [kind in AnyVerdict["kind"]]: Row };

/** The text of a verdict's entry in the history. */
export function historyEntryOf(kind: Verdict["kind"], what: string, until: string | undefined): string {
  const { entry }: Row = VERDICTS[kind];
  return entry?.(what, until) ?? "";
}
