// What has to be true of an order's life when it is over, wherever its host died: the record, the effects, what the client received.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import type { JobError, StateRecord } from "@scheduler-agent-supervisor/core/domain/state-record";
import { levelsOf } from "@scheduler-agent-supervisor/core/domain/workflow";
import { GRAPH } from "../support/orders.ts";

const ALL_STEPS = GRAPH.steps.map(({ name }) => name);
const LEVELS = levelsOf(GRAPH).map((level) => level.map(({ name }) => name));

export type Step = "reserveStock" | "takePayment" | "checkFraud" | "arrangeShipping" | "collectIt" | "capturePayment";

/** How an order has to end. */
export interface End {
  /** The kind of its error; Processed without one. */
  readonly error?: JobError["kind"] | "compensated";
  /** The steps that have an effect, forward; all where it is Processed. */
  readonly steps?: readonly Step[];
  /** Those of which the effect is taken back. */
  readonly compensated?: readonly Step[];
}

export interface Evidence {
  readonly record: StateRecord | undefined;
  /** The idempotency keys under which the services had effects. */
  readonly effects: readonly string[];
  /** As they came; what comes again has the same message id. */
  readonly published: readonly ServiceBusReceivedMessage[];
  /** The attempts that the engine says run. */
  readonly running: readonly string[];
}

/** In words; empty where all is as it has to be. Without an end nothing may have come of it. */
export function faultsOf(end: End | undefined, { record, effects, published, running }: Evidence): string[] {
  // What is said of a submission that was not taken says nothing of the order that stands under the same id.
  const ofOrder = published.filter(({ body }) => body.status !== "Rejected");
  if (!end) return record || ofOrder.length > 0 ? ["something came of an order that can't be read"] : [];
  if (!record) return ["there is no record"];
  const faults: string[] = [];
  const expectSame = (what: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      faults.push(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  };
  const { error } = end;
  const atRest = error === "compensated" ? "Compensated" : error === "cancelled" ? "Cancelled" : undefined;
  expectSame("process state", record.processState, atRest ?? (error ? "Error" : "Processed"));
  if (error !== "compensated") expectSame("error", record.error?.kind, error);
  expectSame("holder", record.lockedBy, null);
  expectSame("due", record.dueAt, undefined);
  expectSame("outbox messages left", record.outbox, []);
  const wanted = [
    ...(end.steps ?? ALL_STEPS).map((step) => `${step}:forward`),
    ...(end.compensated ?? []).map((step) => `${step}:compensate`),
  ];
  // A key's generation doesn't count: a step that has an effect under two keys has it twice.
  expectSame("effects", effects.map((key) => key.split(":").slice(1, 3).join(":")).sort(), wanted.sort());
  expectSame("orchestrations that run", running, []);
  return [...faults, ...unpublished(record, ofOrder), ...misordered(ofOrder)];
}

/** At least once: that it is received and started, each step that the record says is completed, and its end. */
function unpublished(record: StateRecord, published: Evidence["published"]): string[] {
  const received = new Set(published.map(({ body }) => [body.status, body.step].filter(Boolean).join(" ")));
  // A step that was compensated without a result was never known to be completed.
  const completed = Object.entries(record.steps).flatMap(([name, { state, result }]) =>
    state === "Completed" || (state === "Compensated" && result) ? [`StepCompleted ${name}`] : [],
  );
  const ends = { Pending: "", Processing: "", Processed: "Completed", Error: "Failed" };
  const end = { ...ends, Compensated: "Compensated", Cancelled: "Cancelled" }[record.processState];
  return ["Received", "Started", ...completed, end].flatMap((status) =>
    received.has(status) ? [] : [`the client never received ${status}`],
  );
}

/** In order: what is received for the first time never belongs before what was received already. */
function misordered(published: Evidence["published"]): string[] {
  const first = new Map(published.toReversed().map((message) => [message.messageId, message]));
  const received = published
    .filter((message) => first.get(message.messageId) === message)
    .map(({ body }) => body as Status);
  return received.flatMap((status, index) => {
    const before = received[index - 1];
    // A step goes on while the next attempt takes over what it was begun beside.
    const isTakenOver =
      status.status === "StepCompleted" && before && before.attempt > status.attempt && rankOf(before) < RANKS.length;
    return before && !isTakenOver && !wasBeside(status) && compare(before, status) > 0
      ? [`${inWords(status)} was received after ${inWords(before)}`]
      : [];
  });
}

/** Nobody waits until it is notified that a step beside others is completed: see "The status messages" in docs/how-to/submitting.md. */
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
