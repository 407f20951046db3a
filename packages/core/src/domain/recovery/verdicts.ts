// The supervisor's verdicts on an overdue record (P10, P11, P35): one row each says how it changes the record, and what is said and counted of it.

import { counted } from "../counted.ts";
import type { FailureBudget, StepPolicy } from "../definition/workflow.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { published } from "../record/outbox.ts";
import type { RunInHand } from "../record/plan.ts";
import type { Reminder } from "../record/reminder.ts";
import type { StateRecord } from "../record/state-record.ts";
import { expiredError } from "../steps/expired-error.ts";
import { budgetNamed, type Failed } from "../steps/failure-budget.ts";
import type { transitions } from "../steps/transitions.ts";
import { claimableFrom } from "./next-attempt.ts";
import { overdueStep } from "./overdue.ts";
import {
  again,
  compensatedAtDeadline,
  deadlineError,
  givenUp,
  type NextAttempt,
  type Sweeping,
  waitingLonger,
  withReminders,
} from "./recovered.ts";

/** The run as it goes on. */
export interface ProlongedWait extends RunInHand {
  /** It has not gone on for that reason before. */
  readonly isFirst: boolean;
}

/** Its next attempt is later. */
interface Later {
  readonly waitMs: number;
}

/** What a verdict knows, by its kind. */
interface Knows
  extends Record<"retry" | "skip" | "compensate" | "fail", Failed>,
    Record<"hold" | "holdForAnswer" | "holdForCode", Later>,
    Record<"compensateAtDeadline" | "failAtDeadline", { readonly deadlineAt: string }>,
    Record<"reschedule" | "resume" | "repeatStart" | "publish" | "dropDeadline", object> {
  readonly wait: Failed & Later;
  readonly later: { readonly at: string };
  readonly prolong: { readonly waits: readonly ProlongedWait[] };
  readonly remind: { readonly due: readonly Reminder[] };
}

type Kind = keyof Knows;

/** Of each it may be asked which step failed, and how long its next attempt waits. */
export type Verdict<Of extends Kind = Kind> = {
  [Each in Of]: { readonly kind: Each } & Knows[Each] & NextAttempt;
}[Of];

interface Row<Of extends Kind> {
  /** What its write does to the record's state, by the state that it finds; empty: it leaves it. */
  readonly makes: readonly (keyof typeof transitions)[];
  /** The record after it, but for its state, its failures, what its client is told, and its history. */
  readonly change: (record: StateRecord, verdict: Verdict<Of>, sweeping: Sweeping) => StateRecord;
  /** The status that the client gets. */
  readonly status?: "RetryScheduled" | "Failed";
  /** The entry in the record's history, of the overdue steps and the end of the wait, unless `change` makes its own. */
  readonly entry?: (what: string, until: string | undefined, verdict: Verdict<Of>) => string | undefined;
  /** Its reason, for the audit log. */
  readonly words: (record: StateRecord, verdict: Verdict<Of>, budget: FailureBudget) => string;
  /** Its count in a sweep's report. */
  readonly countedAs: string;
  /** The event for its reason. */
  readonly because?: "JobExpired" | "JobDeadlinePassed";
  /** The event for what comes, with the attributes beside the job and its attempt. Compensation and Error have theirs from whatever led to them. */
  readonly event?: {
    readonly name: "JobRetried" | "JobWaits" | "JobHeld" | "JobRescheduled" | "JobResumed" | "AttemptStartRepeated";
    readonly has: readonly ("step" | "agent" | "failureCount" | "until")[];
  };
}

type Rows = { readonly [Each in Kind]: Row<Each> };

const EXPIRED = { change: again, because: "JobExpired" } as const;
const HELD = {
  ...EXPIRED,
  makes: ["held"],
  countedAs: "held",
  event: { name: "JobHeld", has: ["step", "agent", "until"] },
} as const;
const STAYS = { makes: ["lookedAtEarly"], countedAs: "later" } as const;

export const START_REPEATED = "nobody claimed it, started again";

export const VERDICTS = {
  /** The attempt timed out: another one, from the step that it had reached. */
  retry: {
    ...EXPIRED,
    makes: ["retried"],
    status: "RetryScheduled",
    entry: (what) => `expired in ${what}, retried`,
    words: (record, verdict, { failureThreshold }) =>
      `${expired(record, verdict)}, below the threshold of ${failureThreshold}`,
    countedAs: "retried",
    event: { name: "JobRetried", has: ["step", "agent", "failureCount"] },
  },
  /** At the threshold: another one, later. */
  wait: {
    ...EXPIRED,
    makes: ["waited"],
    status: "RetryScheduled",
    entry: (what, until) => `expired in ${what}, to be retried at ${until}`,
    words: (record, verdict, { failureThreshold, waits }) => {
      const pause = verdict.failures - failureThreshold + 1;
      return `${expired(record, verdict)}, at the threshold of ${failureThreshold} or above: pause ${pause} of ${waits.length}, ${verdict.waitMs / 1000} s`;
    },
    countedAs: "waiting",
    event: { name: "JobWaits", has: ["step", "agent", "failureCount", "until"] },
  },
  /** All attempts of a step are used up that the job can continue without: another one, without it. */
  skip: {
    ...EXPIRED,
    makes: ["skipped"],
    entry: (what) => `expired in ${what}, goes on without`,
    words: (record, verdict) =>
      `${expired(record, verdict)}, all attempts used up: it goes on without ${verdict.skips?.join(", ")}`,
    countedAs: "skipped",
  },
  /** All attempts are used up: the completed steps are compensated. */
  compensate: {
    ...EXPIRED,
    makes: ["compensationBegun"],
    change: (record, verdict, sweeping) => {
      const error = expiredError(record, verdict, sweeping);
      return { ...withoutDeadline(again(record, verdict, sweeping)), direction: "compensate", error };
    },
    entry: (what) => `expired in ${what}, to be compensated`,
    words: usedUp,
    countedAs: "toBeCompensated",
  },
  /** All attempts are used up: an operator must act. */
  fail: {
    ...EXPIRED,
    makes: ["givenUp"],
    status: "Failed",
    change: (record, verdict, sweeping) => givenUp(record, expiredError(record, verdict, sweeping), sweeping),
    entry: (what) => `expired in ${what}, given up`,
    words: usedUp,
    countedAs: "failed",
  },
  /** The endpoint's address or the app's credential for it is wrong: another one, later, with no failure counted, until a person has fixed it. */
  hold: {
    ...HELD,
    entry: (what, until) => `${what} needs an endpoint's address or credential fixed, to be tried again at ${until}`,
    words: (record, verdict) => held(`${overdueStep(record)} met a wrong address or credential`, verdict),
  },
  /** Its service answered with what the agent does not declare: the same, and the client is told. */
  holdForAnswer: {
    ...HELD,
    status: "RetryScheduled",
    entry: (what, until) => `${what} had an answer that its agent does not declare, to be tried again at ${until}`,
    words: (record, verdict) => held(`${overdueStep(record)} had an answer that its agent does not declare`, verdict),
  },
  /** The app's own code threw: another one, later, with no failure counted, until a version is deployed whose code does not. */
  holdForCode: {
    ...HELD,
    entry: (what, until) => `the app's own code threw in ${what}, to be tried again at ${until}`,
    words: (record, verdict) => held(`the app's own code threw in ${overdueStep(record)}`, verdict),
  },
  /** No agent took up the step that it waits for, because there is too much to do: another attempt, with no failure counted. */
  reschedule: {
    makes: ["rescheduled"],
    change: again,
    entry: (what) => `no agent took up ${what}, scheduled again`,
    words: (record) =>
      `Processing, and no agent took up ${overdueStep(record)} in time: scheduled again, no failure is counted`,
    countedAs: "rescheduled",
    event: { name: "JobRescheduled", has: ["step", "agent", "failureCount"] },
  },
  /** The wait of its steps is over: a pause, a step that is to be compensated, or a missed poll. Another attempt, with no failure counted. */
  resume: {
    makes: ["resumed"],
    change: again,
    entry: () => "goes on",
    words: () => "Processing, and what it waited for is over: it goes on, no failure is counted",
    countedAs: "resumed",
    event: { name: "JobResumed", has: [] },
  },
  /** No attempt claimed it: the scheduler is notified again. No failure is counted. */
  repeatStart: {
    makes: ["startRepeated"],
    change: (record, _, sweeping) => claimableFrom(record, sweeping.now, sweeping),
    entry: () => START_REPEATED,
    words: ({ dueAt }) => `Pending and not claimed by ${dueAt}: its attempt is started again, no failure is counted`,
    countedAs: "startsRepeated",
    event: { name: "AttemptStartRepeated", has: [] },
  },
  /** No step of it is overdue, or enough others are scheduled again: it is checked again then. */
  later: {
    ...STAYS,
    change: (record, { at }) => ({ ...record, completeBy: at, dueAt: at }),
    words: (_, { at }) => `Processing, and a step of it has time until ${at}`,
  },
  /** Waits would be over, for a time that is not their services': they go on. */
  prolong: {
    ...STAYS,
    change: (record, { waits }) => waitingLonger(record, waits),
    entry: (_what, _until, { waits }) =>
      waits.some(({ isFirst }) => isFirst)
        ? `${stepsOf(waits)} goes on waiting: its agent was paused or is asked once more, or the app was away`
        : undefined,
    words: (_, { waits }) =>
      `Processing, and ${stepsOf(waits)} waited while its agent was paused or the app was away, or is asked once more: its wait goes on, no failure is counted`,
  },
  /** Half of the time of a step that waits for a person is over. */
  remind: {
    ...STAYS,
    change: (record, { due }, sweeping) => withReminders(record, due, sweeping),
    entry: (_what, _until, { due }) => `half of the time of ${stepsOf(due)} is over, a reminder is sent`,
    words: ({ processState }, { due }) =>
      `${processState}, and half of the time of ${stepsOf(due)} is over: its assignee is reminded, no failure is counted`,
  },
  /** It ended, or a reminder is due, but its messages may not all have been published. */
  publish: {
    makes: [],
    change: (record, _, { now }) => published(record, now),
    words: ({ processState, outbox }) =>
      `${processState}, with ${counted(outbox.length, "outbox message")} not known to be sent`,
    countedAs: "published",
  },
  /** Its deadline has passed: what is done of it is compensated, with no failure counted. */
  compensateAtDeadline: {
    makes: ["compensationRequestedWhileRunning", "compensationRequestedWhilePending"],
    change: (record, { deadlineAt }, sweeping) => compensatedAtDeadline(record, deadlineAt, sweeping),
    words: (record, verdict) => atDeadline(record, verdict, "compensate"),
    countedAs: "toBeCompensated",
    because: "JobDeadlinePassed",
  },
  /** Its deadline has passed: an operator must act. */
  failAtDeadline: {
    makes: ["deadlinePassed", "deadlinePassedWhilePending"],
    status: "Failed",
    change: (record, { deadlineAt }, sweeping) =>
      givenUp(record, deadlineError(record, deadlineAt, sweeping), sweeping),
    entry: (_what, _until, { deadlineAt }) => `its deadline ${deadlineAt} has passed, given up`,
    words: (record, verdict) => atDeadline(record, verdict, "fail"),
    countedAs: "failed",
    because: "JobDeadlinePassed",
  },
  /** No deadline applies to it any more. */
  dropDeadline: {
    makes: [],
    change: withoutDeadline,
    words: ({ processState }) => `${processState}, and no deadline applies to it any more: its deadline is removed`,
    countedAs: "later",
  },
} as const satisfies Rows;

/** The typed look into the table. */
export function rowOf<Of extends Kind>(kind: Of): Row<Of> {
  const rows: Rows = VERDICTS;
  return rows[kind];
}

/** The reason for a verdict, as text: for the audit log. */
export function ruleInWords(record: StateRecord, verdict: Verdict, policyOf: (step: string | undefined) => StepPolicy) {
  const budget = budgetNamed(verdict.budget, policyOf(verdict.step ?? undefined));
  return rowOf(verdict.kind).words(record, verdict, budget);
}

function expired({ completeBy }: StateRecord, { step, failures }: Failed): string {
  const of = step === null ? "" : ` of ${step}`;
  return `Processing past its complete-by ${completeBy}: failure ${failures}${of}`;
}

function usedUp(record: StateRecord, verdict: Verdict<"compensate" | "fail">, budget: FailureBudget): string {
  const { kind, step, budget: own } = verdict;
  const { failureThreshold, waits } = budget;
  const isBackwards = record.direction === "compensate";
  const then = isBackwards ? "a compensation is not compensated in turn" : `the policy says ${kind}`;
  if (own === "wait")
    return `Processing past its complete-by ${record.completeBy}: the wait of ${step} for a report expired: ${then}`;
  const failed = expired(record, verdict);
  if (own === "answer") return `${failed}, each with an answer that its agent does not declare: a person has to act`;
  const used = waits.length > 0 ? ` and ${waits.length} pauses used up` : "";
  return `${failed}, at the threshold of ${failureThreshold} or above${used}: ${then}`;
}

const held = (what: string, { waitMs }: Later): string =>
  `Processing, and ${what}: tried again in ${waitMs / 1000} s, no failure is counted`;

const atDeadline = ({ processState }: StateRecord, { deadlineAt }: Knows["failAtDeadline"], then: string): string =>
  `${processState} past its deadline ${deadlineAt}: the workflow's deadline says ${then}, no failure is counted`;

const stepsOf = (all: readonly { readonly step: string }[]): string => all.map(({ step }) => step).join(", ");
