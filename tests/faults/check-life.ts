// What has to be true of an order's life when it is over, wherever its host died: the record, the effects, what the shop heard.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import type { OrderError, StateRecord } from "../../shared/domain/state-record.ts";
import { levelsOf } from "../../shared/domain/workflow.ts";
import { GRAPH } from "../support/orders.ts";

const ALL_STEPS = GRAPH.steps.map(({ name }) => name);
const LEVELS = levelsOf(GRAPH).map((level) => level.map(({ name }) => name));

export type Step = "reserveStock" | "takePayment" | "checkFraud" | "arrangeShipping" | "collectIt" | "capturePayment";

/** How an order has to end. */
export interface End {
  /** The kind of its error; Processed without one. */
  readonly error?: OrderError["kind"];
  /** The steps that have an effect, forward; all where it is Processed. */
  readonly steps?: readonly Step[];
  /** Those of which the effect is taken back. */
  readonly undone?: readonly Step[];
}

export interface Evidence {
  readonly record: StateRecord | undefined;
  /** The idempotency keys under which the services had effects. */
  readonly effects: readonly string[];
  /** As they came; what comes again has the same message id. */
  readonly told: readonly ServiceBusReceivedMessage[];
  /** The attempts that the engine says run. */
  readonly running: readonly string[];
}

/** In words; empty where all is as it has to be. Without an end nothing may have come of it. */
export function faultsOf(end: End | undefined, { record, effects, told, running }: Evidence): string[] {
  // What is said of a submission that was not taken says nothing of the order that stands under the same id.
  const ofOrder = told.filter(({ body }) => body.status !== "Rejected");
  if (!end) return record || ofOrder.length > 0 ? ["something came of an order that can't be read"] : [];
  if (!record) return ["there is no record"];
  const faults: string[] = [];
  const expectSame = (what: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      faults.push(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  };
  expectSame("process state", record.processState, end.error ? "Error" : "Processed");
  expectSame("error", record.error?.kind, end.error);
  expectSame("holder", record.lockedBy, null);
  expectSame("due", record.dueAt, undefined);
  expectSame("notices left", record.notices, []);
  const wanted = [
    ...(end.steps ?? ALL_STEPS).map((step) => `${step}:forward`),
    ...(end.undone ?? []).map((step) => `${step}:undo`),
  ];
  // A key's generation doesn't count: a step that has an effect under two keys has it twice.
  expectSame("effects", effects.map((key) => key.split(":").slice(1, 3).join(":")).sort(), wanted.sort());
  expectSame("orchestrations that run", running, []);
  return [...faults, ...untold(record, ofOrder), ...misordered(ofOrder)];
}

/** At least once: that it is received and started, each step that the record says is completed, and its end. */
function untold(record: StateRecord, told: Evidence["told"]): string[] {
  const heard = new Set(told.map(({ body }) => [body.status, body.step].filter(Boolean).join(" ")));
  // A step that was undone without a result was never known to be completed.
  const completed = Object.entries(record.steps).flatMap(([name, { state, result }]) =>
    state === "Completed" || (state === "Undone" && result) ? [`StepCompleted ${name}`] : [],
  );
  const isUndone = record.error?.kind === "undone" || record.error?.kind === "cancelled";
  const end = record.processState === "Processed" ? "Completed" : isUndone ? "Undone" : "Failed";
  return ["Received", "Started", ...completed, end].flatMap((status) =>
    heard.has(status) ? [] : [`the shop never heard ${status}`],
  );
}

/** In order: what is heard for the first time never belongs before what was heard already. */
function misordered(told: Evidence["told"]): string[] {
  const first = new Map(told.toReversed().map((message) => [message.messageId, message]));
  const heard = told.filter((message) => first.get(message.messageId) === message).map(({ body }) => body as Status);
  return heard.flatMap((status, index) => {
    const before = heard[index - 1];
    // A step goes on while the next attempt takes over what it was begun beside.
    const isTakenOver =
      status.status === "StepCompleted" && before && before.attempt > status.attempt && rankOf(before) < RANKS.length;
    return before && !isTakenOver && !wasBeside(status) && compare(before, status) > 0
      ? [`${inWords(status)} was heard after ${inWords(before)}`]
      : [];
  });
}

/** Nobody waits until it is told that a step beside others is completed: see "The status messages" in docs/how-to/submitting.md. */
function wasBeside({ status, step = "" }: Status): boolean {
  return status === "StepCompleted" && LEVELS.some((level) => level.length > 1 && level.includes(step as Step));
}

interface Status {
  readonly attempt: number;
  readonly status: string;
  readonly step?: string;
}

const RANKS = ["Received", "RetryScheduled", "Started", "StepCompleted"];

function compare(one: Status, other: Status): number {
  return one.attempt - other.attempt || rankOf(one) - rankOf(other) || levelOf(one) - levelOf(other);
}

const rankOf = ({ status }: Status): number => (RANKS.includes(status) ? RANKS.indexOf(status) : RANKS.length);
/** What stands in for the shipping comes where that would. */
const levelOf = ({ step = "" }: Status): number =>
  LEVELS.findIndex((level) => level.includes(step === "collectIt" ? "arrangeShipping" : step));
const inWords = ({ status, step, attempt }: Status): string => [status, step, `of attempt ${attempt}`].join(" ");
