// The words for what supervisors have decided.
import { counted } from "@scheduler-agent-supervisor/core/domain";
import type { AgentTimeout } from "../api/contract.ts";
import { ACTIONS } from "./job.ts";
import { say } from "./say.ts";

const VERDICTS: { readonly [verdict: string]: string } = {
  retry: "Next attempt",
  reschedule: "Scheduled again",
  skip: "Continues without a step",
  later: "Has time left",
  wait: "Wait, then next attempt",
  resume: "Goes on",
  hold: "Waits for an endpoint to be fixed",
  holdForAnswer: "Waits for an answer that its agent declares",
  holdForCode: "Waits for code that does not throw",
  compensate: "Compensation",
  fail: "Error",
  repeatStart: "Attempt started again",
  publish: "Statuses sent",
  compensateAtDeadline: "Deadline passed: compensation",
  failAtDeadline: "Deadline passed: Error",
  dropDeadline: "Deadline removed",
  none: "Could not be decided",
};

/** In the order in which they are shown. */
const REPORT: { readonly [name: string]: string } = {
  retried: "another attempt",
  rescheduled: "scheduled again",
  skipped: "continued without a step",
  resumed: "resumed",
  waiting: "waiting for a retry",
  held: "waiting for an endpoint",
  toBeCompensated: "to be compensated",
  failed: "in Error",
  startsRepeated: "attempts started again",
  published: "statuses sent",
  later: "with time left",
  lost: "written by another first",
  broken: "not handled",
};

const SWEEP_ENDS: { readonly [end: string]: string } = {
  time: "ended: time limit, the next sweep continues",
  "lead lost": "ended: another supervisor is active",
  fault: "ended: the store did not answer",
};

/** Of operators; what is done to one job has its button's name. */
const ACTION_WORDS: { readonly [action: string]: string } = {
  ...Object.fromEntries(Object.entries(ACTIONS).map(([action, { name }]) => [action, name])),
  resendDeadLetter: "Send a message again",
  discardDeadLetter: "Discard a message",
  resendDiscarded: "Send a discarded message again",
  sweep: "Sweep now",
  take: "Take",
  release: "Release",
};

type Report = { readonly [name: string]: number | boolean | string };

function reportWords(report: Report): string {
  const found = Number(report["found"] ?? 0);
  const parts = Object.entries(REPORT).flatMap(([name, words]) => (report[name] ? [`${report[name]} ${words}`] : []));
  const end = SWEEP_ENDS[String(report["endedBy"])];
  const counted = found === 0 ? "Nothing was due" : `${found} due`;
  return [parts.length > 0 ? `${counted}: ${parts.join(", ")}` : counted, ...(end ? [end] : [])].join("; ");
}

export const SUPERVISION = {
  get log() {
    return say`What supervisors decided and operators did, over all {jobs}; the last 12 hours if no time is given. A sweep finds {jobs} that are due and not done, and decides on each. Only some of the sweeps without findings are recorded.`;
  },
  leader: "Active",
  lastLeader: "Last active",
  nobody: "No supervisor has been active yet",
  get free() {
    return say`No supervisor is active. If this lasts longer than a minute, no {job} is recovered: check that the app runs.`;
  },
  epoch: (epoch: number) => `epoch ${epoch}`,
  since: "since",
  entries: "The latest first",
  from: "From",
  to: "Before",
  show: "Show",
  earlier: "Earlier",
  nothing: "Nothing is recorded in this time",
  by: "By",
  supervisor: "supervisor",
  action: (action: string) => ACTION_WORDS[action] ?? action,
  message: (queueAndNumber: string) => `message ${queueAndNumber}`,
  at: "When",
  what: "What",
  about: "About",
  why: "Why",
  before: "Before",
  after: "After",
  sweep: "Sweep",
  lateReply: "Late reply",
  verdict: (verdict: string) => VERDICTS[verdict] ?? verdict,
  get lost() {
    return say`not done: the {job} was written by another first`;
  },
  broken: "not done",
  report: reportWords,
  took: (duration: string, leader: string, epoch: number) => `${duration}, by ${leader}, epoch ${epoch}`,
  late: (step: string, attempt: number, reason: string) => `${step}, attempt ${attempt}: ${reason}`,
  agentTimeout: ({ step, agent, attempt, tries, endpoint, message }: AgentTimeout) => {
    const what = `${step}${agent === null ? "" : ` (${agent})`} timed out in attempt ${attempt}`;
    if (message === null) return `${what}: the cause is unknown. Its process may have crashed.`;
    const often = tries === null ? "" : `, after ${counted(tries, "try", "tries")}`;
    return `${what}${often}${endpoint === null ? "" : ` at ${endpoint}`}: ${message}`;
  },
  snapshot: (state: string, attempt: number, failures: number, step: string | null) =>
    [state, step, `attempt ${attempt}`, counted(failures, "failure")].filter(Boolean).join(", "),
} as const;
