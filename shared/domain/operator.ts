// What an operator may ask of an order (P9, P11, P13), and what it makes of the record.

import { after } from "./duration.ts";
import { stepOfRun } from "./items.ts";
import {
  begunAnew,
  busyUntil,
  forgiven,
  latest,
  mapSteps,
  namesOf,
  readyForUndo,
  rekeyed,
  reset,
  waitsLonger,
} from "./operator-steps.ts";
import type { Priority } from "./order.ts";
import { mayHaveHadEffect, outcomeIsUnknown } from "./plan.ts";
import { HISTORY_LIMIT } from "./recovery.ts";
import { over, reopened } from "./retention.ts";
import type { Notice, OrderError, ProcessState, StateRecord } from "./state-record.ts";
import { NOTICE_GRACE_MS, transitions } from "./transitions.ts";
import type { Workflow } from "./workflow.ts";

export type OperatorAction =
  | {
      readonly kind: "resubmit";
      readonly reason: string;
      /** The order's content was replaced too, by one of this priority. */
      readonly edited: { readonly priority: Priority } | null;
      /** The operator's word that a person has undone what the order's undo left. */
      readonly compensatedByHand: boolean;
    }
  | { readonly kind: "undo"; readonly reason: string }
  /** Of an order that has not ended: it ends at once where nothing was done, and is undone otherwise. */
  | {
      readonly kind: "cancel";
      readonly reason: string;
      /** Then its workflow may say from which step on it is too late. */
      readonly byRequester?: boolean;
    }
  | { readonly kind: "extend"; readonly reason: string; readonly byMs: number }
  /** What was left to do is done by hand: the order rests in Error, and nobody is alerted of it any more. */
  | { readonly kind: "settle"; readonly reason: string };

/** Who asks, when, and the times that a new attempt gets. */
export interface Occasion {
  readonly by: string;
  readonly now: string;
  readonly claimWithinMs: number;
  readonly clockSkewMs: number;
}

export type Decision =
  /** `startAt`: until then agents of the attempt before may still be at work; null where the next may start at once. */
  | { readonly kind: "allowed"; readonly record: StateRecord; readonly startAt: string | null }
  | { readonly kind: "refused"; readonly reason: string };

const ROWS = {
  resubmit: [transitions.resubmitted, transitions.resubmittedWhilePending],
  undo: [transitions.undoAsked, transitions.undoAskedWhilePending, transitions.undoAskedWhileRunning],
  cancel: [transitions.cancelled, transitions.undoAskedWhileRunning],
  extend: [transitions.extended, transitions.extendedWhilePending],
  settle: [transitions.settled],
} as const satisfies Record<OperatorAction["kind"], readonly { from: ProcessState; to: ProcessState }[]>;

/** @param workflow the record's; undefined where the app has it no longer. */
export function decide(
  record: StateRecord,
  action: OperatorAction,
  workflow: Workflow | undefined,
  occasion: Occasion,
): Decision {
  const rows: readonly { from: ProcessState; to: ProcessState }[] = ROWS[action.kind];
  const row = rows.find(({ from }) => from === record.processState);
  if (!row) {
    const states = rows.map(({ from }) => from).join(" or ");
    return refused(`${action.kind} is for an order that is ${states}; this one is ${record.processState}`);
  }
  const brings = action.kind === "resubmit" && action.edited !== null;
  if (record.keptUntil && !brings) {
    return refused(
      "it is closed, and what its payment needs is removed: resubmit it with an order that has a new payment token",
    );
  }
  if (action.kind === "settle") return settle(record, action, row.to, occasion);
  if (action.kind === "cancel" && isUntouched(record)) return cancelAtOnce(record, action, occasion);
  if (!workflow) {
    const { name, version } = record.workflow;
    return refused(`workflow ${name} v${version}, which the order needs, is no longer here`);
  }
  switch (action.kind) {
    case "resubmit":
      return resubmit(record, action, workflow, row.to, occasion);
    case "undo":
      return undo(record, action, row.to, occasion);
    case "cancel":
      return cancel(record, action, workflow, occasion);
    case "extend":
      return extend(record, action, row.to, occasion);
    default:
      return action satisfies never;
  }
}

type Resubmit = Extract<OperatorAction, { kind: "resubmit" }>;
type Undo = Extract<OperatorAction, { kind: "undo" }>;
type Cancel = Extract<OperatorAction, { kind: "cancel" }>;
type Extend = Extract<OperatorAction, { kind: "extend" }>;
type Settle = Extract<OperatorAction, { kind: "settle" }>;

/** Kinds of error whose undo has come to an end, so that the order may begin anew. */
const AT_REST: ReadonlySet<string | undefined> = new Set(["undone", "cancelled", "notUndone", "settled"]);

function resubmit(
  record: StateRecord,
  { reason, edited, compensatedByHand }: Resubmit,
  workflow: Workflow,
  to: ProcessState,
  occasion: Occasion,
): Decision {
  const anew = record.direction === "undo";
  if (anew && !(record.processState === "Error" && AT_REST.has(record.error?.kind))) {
    return refused("its undo has not come to an end: ask for the undo again, and resubmit what is undone");
  }
  const byHand = record.error?.kind === "notUndone";
  if (byHand && !compensatedByHand) {
    const left = record.error?.message ?? "what its undo left";
    return refused(`${left}: have it undone, then resubmit with "compensatedByHand": true`);
  }
  const harmless = workflow.steps.flatMap(({ name, undo }) => (undo === "nothing" ? [name] : []));
  const unknown = anew || !edited ? [] : namesOf(record.steps, outcomeIsUnknown);
  const uncertain = unknown.filter((name) => !harmless.includes(stepOfRun(name)));
  if (uncertain.length > 0) {
    // Under the same key a service would refuse the new content or answer for the old; another key could do it twice.
    const steps = uncertain.join(", ");
    return refused(
      `whether ${steps} took effect with the order as it was is not known: resubmit it unchanged, or undo it first`,
    );
  }
  const steps = mapSteps(mapSteps(record.steps, forgiven), (step) => {
    if (anew) return begunAnew(step);
    return edited ? rekeyed(reset(step), step) : reset(step);
  });
  const next = nextAttempt(record, to, occasion, busyUntil(record));
  const { attempt } = next.record;
  const content = edited ? `, order revision ${record.orderRevision + 1}` : "";
  const from = `${anew ? " from the start" : ""}${byHand ? ", the rest undone by hand" : ""}`;
  return {
    ...next,
    record: {
      ...next.record,
      direction: "forward",
      steps,
      error: null,
      ...(edited && { orderRevision: record.orderRevision + 1, priority: edited.priority }),
      notices: [...next.record.notices, { status: "RetryScheduled", attempt, at: occasion.now }],
      history: remembered(record, occasion, `resubmitted${from}, attempt ${attempt}${content}: ${reason}`),
    },
  };
}

function undo(record: StateRecord, { reason }: Undo, to: ProcessState, occasion: Occasion): Decision {
  const obstacle = obstacleToUndo(record);
  if (obstacle !== undefined) return refused(obstacle);
  const asked = errorOf("undoAsked", `${occasion.by} asked for it: ${reason}`, occasion);
  // The cause is what the shop is told in the end.
  return toBeUndone(record, record.error ?? asked, to, reason, occasion);
}

function obstacleToUndo({ processState, direction, error, steps }: StateRecord): string | undefined {
  if (direction === "forward") {
    return error?.kind === "cancelled" ? "it is cancelled: nothing was done, and nothing is left to undo" : undefined;
  }
  if (processState === "Processing") return "it is being undone already";
  // It waits, and goes on at once.
  if (processState === "Pending") return undefined;
  if (error?.kind === "undone" || error?.kind === "cancelled") return "all that was done is undone already";
  if (error?.kind === "settled") return "it is settled: what was left was done by hand";
  const open = namesOf(steps, ({ undo: run }) => run?.state === "Failed");
  if (error?.kind === "notUndone" && open.length === 0) return "what is left of it can only be undone by hand";
  return undefined;
}

function toBeUndone(
  record: StateRecord,
  error: OrderError,
  to: ProcessState,
  reason: string,
  occasion: Occasion,
): Decision {
  const next = nextAttempt(record, to, occasion, record.busyUntil);
  const overdueBefore = after(occasion.now, -occasion.clockSkewMs);
  return {
    ...next,
    record: {
      ...next.record,
      direction: "undo",
      steps: mapSteps(mapSteps(record.steps, forgiven), (step) => readyForUndo(step, overdueBefore)),
      error,
      history: remembered(record, occasion, `to be undone, attempt ${next.record.attempt}: ${reason}`),
    },
  };
}

/** Nothing was done, and nobody is about to do anything: whoever claims it now loses to the write. */
function isUntouched({ processState, direction, steps }: StateRecord): boolean {
  return processState === "Pending" && direction === "forward" && namesOf(steps, mayHaveHadEffect).length === 0;
}

function cancelAtOnce(record: StateRecord, { reason }: Cancel, occasion: Occasion): Decision {
  const { by, now } = occasion;
  const cancelled: StateRecord = {
    ...record,
    processState: transitions.cancelled.to,
    lockedBy: null,
    completeBy: null,
    dueAt: after(now, NOTICE_GRACE_MS),
    error: errorOf("cancelled", `cancelled by ${by}: ${reason}`, occasion),
    notices: [...owed(record), { status: "Undone", attempt: record.attempt, at: now }],
    history: remembered(record, occasion, `cancelled: ${reason}`),
    updatedAt: now,
  };
  return { kind: "allowed", record: cancelled, startAt: null };
}

function cancel(
  record: StateRecord,
  { reason, byRequester = false }: Cancel,
  { cancelUntil }: Workflow,
  occasion: Occasion,
): Decision {
  if (record.direction === "undo") return refused("it is being undone already");
  const hasBegun = namesOf(record.steps, mayHaveHadEffect).some((run) => stepOfRun(run) === cancelUntil);
  if (byRequester && hasBegun) return refused(`it is too late: ${cancelUntil} has begun`);
  const { processState } = record;
  const { to } = processState === "Pending" ? transitions.undoAskedWhilePending : transitions.undoAskedWhileRunning;
  const cancelled = errorOf("cancelled", `cancelled by ${occasion.by}: ${reason}`, occasion);
  return toBeUndone(record, cancelled, to, `cancelled: ${reason}`, occasion);
}

function settle(record: StateRecord, { reason }: Settle, to: ProcessState, occasion: Occasion): Decision {
  const { error } = record;
  if (error?.kind === "settled") return refused("it is settled already");
  if (error?.kind === "undone" || error?.kind === "cancelled") {
    return refused("all that was done is undone: nothing is left to settle");
  }
  const message = `${reason}; before: ${error?.message ?? "unknown"}`;
  const { step = null, agent = null } = error ?? {};
  const settled: StateRecord = {
    ...record,
    processState: to,
    error: { kind: "settled", message, step, agent, at: occasion.now },
    history: remembered(record, occasion, `settled by hand: ${reason}`),
    updatedAt: occasion.now,
  };
  return { kind: "allowed", record: { ...settled, ...over(settled, occasion.now) }, startAt: null };
}

/** Gives the supervisor more patience. Agents at work keep the time that they were given; a step that is done later may wait for so much longer. */
function extend(record: StateRecord, { reason, byMs }: Extend, to: ProcessState, occasion: Occasion): Decision {
  const laterThan = (at: string | null | undefined) => after(latest([occasion.now, at]) ?? occasion.now, byMs);
  const later = laterThan(record.dueAt);
  const extended: StateRecord = {
    ...record,
    steps: mapSteps(record.steps, (step) => waitsLonger(step, laterThan)),
    processState: to,
    completeBy: record.completeBy === null ? null : later,
    dueAt: later,
    history: remembered(record, occasion, `time extended to ${later}: ${reason}`),
    updatedAt: occasion.now,
  };
  return { kind: "allowed", record: extended, startAt: null };
}

/**
 * Pending for its next attempt, with all failures forgiven.
 * @param busy until when agents may be at work of which the attempt knows nothing
 */
function nextAttempt(
  record: StateRecord,
  processState: ProcessState,
  { now, claimWithinMs, clockSkewMs }: Occasion,
  busy: string | undefined,
) {
  const { busyUntil: _before, ...rest } = reopened(record);
  // Two attempts never overlap: what still runs falls silent at its complete-by, by its own clock.
  const silentAt = busy === undefined ? now : after(busy, clockSkewMs);
  const isBusy = silentAt > now;
  const startAt = isBusy ? silentAt : null;
  const claimBy = after(startAt ?? now, claimWithinMs);
  const pending: StateRecord = {
    ...rest,
    processState,
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    failureCount: 0,
    attempt: record.attempt + 1,
    ...(isBusy && busy && { busyUntil: busy }),
    notices: owed(record),
    updatedAt: now,
  };
  return { kind: "allowed", record: pending, startAt } as const;
}

/** What the shop has to hear first: of an order that nobody has claimed yet not even Received may have been sent. */
function owed({ processState, attempt, createdAt, notices }: StateRecord): readonly Notice[] {
  if (processState !== "Pending" || attempt !== 1) return notices;
  return [{ status: "Received", attempt, at: createdAt }, ...notices];
}

/** Not a step's fault. */
function errorOf(kind: OrderError["kind"], message: string, { now: at }: Occasion): OrderError {
  return { kind, message, step: null, agent: null, at };
}

function remembered(record: StateRecord, { by, now }: Occasion, what: string): StateRecord["history"] {
  return [...record.history, { at: now, what, by }].slice(-HISTORY_LIMIT);
}

const refused = (reason: string): Decision => ({ kind: "refused", reason });
