// Each step and each action in plain words, with the row of the pattern that explains it.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { EventName } from "@scheduler-agent-supervisor/core/telemetry";
import type { ServiceCall } from "@scheduler-agent-supervisor/testing";
import { type Begun, type InFlight, SCHEDULER, SUBMISSION } from "@scheduler-agent-supervisor/testing/memory";
import type { Action } from "./case.ts";

export interface Line {
  readonly step: number;
  readonly at: string;
  /** Who did it; "you" for an action. */
  readonly who: string;
  readonly text: string;
  /** What changed in the record, at the services and for the client. */
  readonly changes: readonly string[];
  /** The row of docs/reference/pattern.md. */
  readonly row: string | null;
}

export type Call = ServiceCall & { readonly service: string };

/** The service was down. */
export const isUnanswered = (outcome: ServiceCall["outcome"]): boolean =>
  typeof outcome === "object" && outcome.status === 503;

export interface StepTaken {
  readonly step: number;
  readonly at: string;
  readonly begun: Begun;
  readonly before: StateRecord | undefined;
  readonly record: StateRecord | undefined;
  readonly sent: readonly InFlight[];
  readonly events: readonly { readonly name: EventName }[];
  readonly calls: readonly Call[];
  readonly statuses: readonly string[];
}

/** The first that fits explains the step. */
const ROWS: readonly (readonly [EventName, row: string, words?: string])[] = [
  ["DuplicateSubmission", "P1", "The order is known already: nothing is written again."],
  ["LateReplyRejected", "P8", "The answer is late, and changes nothing."],
  ["AgentTimedOut", "P8", "The complete-by time is over: the agent stops, and sends nothing."],
  ["StepRejected", "P9"],
  ["JobErrored", "P10", "The failures have reached the threshold: the order waits for an operator, with an alert."],
  ["JobToBeCompensated", "P13"],
  ["JobRetried", "P10", "The supervisor counts the failure and asks for another attempt."],
  ["JobExpired", "P10"],
  ["JobRescheduled", "P26", "Nobody had taken the step up: it is scheduled again, and no failure is counted."],
  ["StepCompensated", "P13"],
  ["JobProcessed", "P15"],
  ["StepCompleted", "P3"],
  ["JobSubmitted", "P1", "The order and its state record are written in one batch."],
  ["JobClaimed", "P4"],
];

export function stepInWords(taken: StepTaken): Line {
  const { step, at, begun, before, record, sent, events, calls, statuses } = taken;
  const names = events.map(({ name }) => name);
  const found = ROWS.filter(([name]) => names.includes(name));
  const { who, text } = deedOf(begun, calls.length > 0);
  const changes = [
    ...found.flatMap(([, , words]) => words ?? []),
    ...changesOf(before, record),
    ...calls.map(callInWords),
    ...sent.flatMap(({ kind, to, what }) => (kind === "turn" ? [] : [`Sent to ${nameOf(to)}: ${what}.`])),
    ...statuses.map((status) => `The client receives the status ${status}.`),
  ];
  return { step, at, who, text, changes, row: found[0]?.[1] ?? (calls.length > 0 ? "P6" : null) };
}

function deedOf(begun: Begun, hasCalled: boolean): { readonly who: string; readonly text: string } {
  if (begun.taken === "sweep") return { who: "supervisor", text: "The supervisor looks for overdue records." };
  if (begun.taken === "wait") {
    const who = begun.process ?? SCHEDULER;
    if (begun.process === undefined) return { who, text: "A timer of the scheduler fires." };
    return {
      who,
      text: `${sentence(nameOf(who))} ${hasCalled ? "tries again" : "goes on after a wait or an answer"}.`,
    };
  }
  const { kind, to, what } = begun;
  if (to === SUBMISSION) return { who: to, text: "Submission takes the order from its queue." };
  if (kind === "turn")
    return { who: to, text: "The scheduler goes on with its attempt: it decides which steps can begin." };
  if (to === SCHEDULER) return { who: to, text: `The scheduler takes up: ${what}.` };
  return { who: to, text: `${sentence(nameOf(to))} takes up ${what.replace("request: ", "")}.` };
}

function callInWords({ service, operation, outcome }: Call): string {
  const result = isUnanswered(outcome) ? "it is down, and answers 503" : "the service does it, or knows it by its key";
  return `Call to the ${service} service, ${operation}: ${result}.`;
}

function changesOf(before: StateRecord | undefined, record: StateRecord | undefined): string[] {
  if (!record) return [];
  const changes: string[] = [];
  const compare = (name: string, was: unknown, is: unknown) => {
    if (was !== is) changes.push(`${name}: ${was === undefined ? "" : `${was ?? "nobody"} → `}${is ?? "nobody"}`);
  };
  compare("processState", before?.processState, record.processState);
  compare("lockedBy", before?.lockedBy, record.lockedBy);
  compare("failureCount", before?.failureCount, record.failureCount);
  for (const [name, step] of Object.entries(record.steps)) {
    const was = before?.steps[name];
    if (was) compare(name, was.state, step.state);
    if (step.compensation) compare(`${name}, compensation`, was?.compensation?.state, step.compensation.state);
  }
  return changes;
}

export function actionInWords(step: number, at: string, { kind, what }: Action, message: InFlight | undefined): Line {
  const about = message ? `"${message.what}" to ${nameOf(message.to)}` : "a message that has arrived already";
  const words = {
    kill: `You kill ${nameOf(what)}. Another process replaces it in 30 seconds; its messages and activities are delivered again.`,
    down: `You take the ${what} service down.`,
    up: `You bring the ${what} service back.`,
    delay: `You delay ${about} by a minute.`,
    twice: `You double ${about}.`,
    "all-twice": "From now on every message comes twice.",
  };
  return { step, at, who: "you", text: words[kind], changes: [], row: kind === "kill" ? "P16" : null };
}

function nameOf(process: string): string {
  if (process === SUBMISSION) return SUBMISSION;
  return process === SCHEDULER || process === "supervisor" ? `the ${process}` : `the ${process} agent`;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
