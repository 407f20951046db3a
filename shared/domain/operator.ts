// What an operator may ask of an order (P9, P11, P13), and what it makes of the record.
import { after } from "./duration.ts";
import type { Priority } from "./order.ts";
import { isInHand, outcomeIsUnknown } from "./plan.ts";
import { HISTORY_LIMIT } from "./recovery.ts";
import { NOT_STARTED, type ProcessState, type StateRecord, type StepRecord, type Steps } from "./state-record.ts";
import { transitions } from "./transitions.ts";
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
  resubmit: [transitions.resubmitted],
  undo: [transitions.undoAsked, transitions.undoAskedWhileRunning],
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
  if (action.kind === "settle") return settle(record, action, row.to, occasion);
  if (!workflow) {
    const { name, version } = record.workflow;
    return refused(`workflow ${name} v${version}, which the order needs, is no longer here`);
  }
  switch (action.kind) {
    case "resubmit":
      return resubmit(record, action, workflow, row.to, occasion);
    case "undo":
      return undo(record, action, row.to, occasion);
    case "extend":
      return extend(record, action, row.to, occasion);
    default:
      return action satisfies never;
  }
}

type Resubmit = Extract<OperatorAction, { kind: "resubmit" }>;
type Undo = Extract<OperatorAction, { kind: "undo" }>;
type Extend = Extract<OperatorAction, { kind: "extend" }>;
type Settle = Extract<OperatorAction, { kind: "settle" }>;

/** Kinds of error whose undo has come to an end, so that the order may begin anew. */
const AT_REST: ReadonlySet<string | undefined> = new Set(["undone", "notUndone", "settled"]);

function resubmit(
  record: StateRecord,
  { reason, edited, compensatedByHand }: Resubmit,
  workflow: Workflow,
  to: ProcessState,
  occasion: Occasion,
): Decision {
  const anew = record.direction === "undo";
  if (anew && !AT_REST.has(record.error?.kind)) {
    return refused("its undo has not come to an end: ask for the undo again, and resubmit what is undone");
  }
  const byHand = record.error?.kind === "notUndone";
  if (byHand && !compensatedByHand) {
    const left = record.error?.message ?? "what its undo left";
    return refused(`${left}: have it undone, then resubmit with "compensatedByHand": true`);
  }
  const harmless = workflow.steps.flatMap(({ name, undo }) => (undo === "nothing" ? [name] : []));
  const unknown = anew || !edited ? [] : namesOf(record.steps, outcomeIsUnknown);
  const uncertain = unknown.filter((name) => !harmless.includes(name));
  if (uncertain.length > 0) {
    // Under the same key a service would refuse the new content or answer for the old; another key could do it twice.
    const steps = uncertain.join(", ");
    return refused(
      `whether ${steps} took effect with the order as it was is not known: resubmit it unchanged, or undo it first`,
    );
  }
  const steps = mapSteps(record.steps, (step) => {
    if (anew) return begunAnew(step);
    return edited ? rekeyed(reset(step), step) : reset(step);
  });
  const next = nextAttempt(record, to, occasion);
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
      notices: [...record.notices, { status: "RetryScheduled", attempt, at: occasion.now }],
      history: remembered(record, occasion, `resubmitted${from}, attempt ${attempt}${content}: ${reason}`),
    },
  };
}

function undo(record: StateRecord, { reason }: Undo, to: ProcessState, occasion: Occasion): Decision {
  const again = record.direction === "undo";
  if (again && record.processState === "Processing") return refused("it is being undone already");
  if (again && record.error?.kind === "undone") return refused("all that was done is undone already");
  if (again && record.error?.kind === "settled") return refused("it is settled: what was left was done by hand");
  const open = namesOf(record.steps, ({ undo: run }) => run?.state === "Failed");
  if (again && record.error?.kind === "notUndone" && open.length === 0) {
    return refused("what is left of it can only be undone by hand");
  }
  const next = nextAttempt(record, to, occasion);
  const { by, now } = occasion;
  const asked = {
    kind: "undoAsked",
    message: `${by} asked for it: ${reason}`,
    step: null,
    agent: null,
    at: now,
  } as const;
  return {
    ...next,
    record: {
      ...next.record,
      direction: "undo",
      steps: mapSteps(record.steps, readyForUndo),
      // The cause is what the shop is told in the end.
      error: record.error ?? asked,
      history: remembered(record, occasion, `to be undone, attempt ${next.record.attempt}: ${reason}`),
    },
  };
}

function settle(record: StateRecord, { reason }: Settle, to: ProcessState, occasion: Occasion): Decision {
  const { error } = record;
  if (error?.kind === "settled") return refused("it is settled already");
  if (error?.kind === "undone") return refused("all that was done is undone: nothing is left to settle");
  const message = `${reason}; before: ${error?.message ?? "unknown"}`;
  const { step = null, agent = null } = error ?? {};
  const settled: StateRecord = {
    ...record,
    processState: to,
    error: { kind: "settled", message, step, agent, at: occasion.now },
    history: remembered(record, occasion, `settled by hand: ${reason}`),
    updatedAt: occasion.now,
  };
  return { kind: "allowed", record: settled, startAt: null };
}

/** Gives the supervisor more patience. The agents of a running attempt keep the time that they were given. */
function extend(record: StateRecord, { reason, byMs }: Extend, to: ProcessState, occasion: Occasion): Decision {
  const later = after(latest([occasion.now, record.dueAt]) ?? occasion.now, byMs);
  const extended: StateRecord = {
    ...record,
    processState: to,
    completeBy: record.completeBy === null ? null : later,
    dueAt: later,
    history: remembered(record, occasion, `time extended to ${later}: ${reason}`),
    updatedAt: occasion.now,
  };
  return { kind: "allowed", record: extended, startAt: null };
}

/** Pending for its next attempt, with all failures forgiven. */
function nextAttempt(record: StateRecord, processState: ProcessState, { now, claimWithinMs, clockSkewMs }: Occasion) {
  const busyUntil = latest(Object.values(record.steps).map((step) => busyUntilOf(step)));
  // Two attempts never overlap: what still runs falls silent at its complete-by, by its own clock.
  const startAt = busyUntil !== undefined && busyUntil > now ? after(busyUntil, clockSkewMs) : null;
  const claimBy = after(startAt ?? now, claimWithinMs);
  const pending: StateRecord = {
    ...record,
    processState,
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    failureCount: 0,
    attempt: record.attempt + 1,
    updatedAt: now,
  };
  return { kind: "allowed", record: pending, startAt } as const;
}

/** In either direction: a step beside one that was refused may still be at work when its undo begins. */
function busyUntilOf(step: StepRecord): string | null {
  return latest([step, step.undo].map((run) => (isInHand(run) ? run.completeBy : null))) ?? null;
}

/** A step to be run again. */
function reset(step: StepRecord): StepRecord {
  switch (step.state) {
    case "Failed":
      // Refused for good, it had no effect, so that there is nothing to undo unless an earlier attempt ran out of time.
      return { ...step, ...NOT_STARTED, retryCount: step.retryCount };
    case "Scheduled":
    case "Running":
      // When it was scheduled stays: its outcome is not known, so an undo has to see to it.
      return { ...step, state: "NotStarted", startBy: null, completeBy: null };
    case "NotStarted":
    case "Completed":
    case "Undone":
      return step;
    default:
      return step.state satisfies never;
  }
}

/** Under the key of the old content a service refuses the new one. What was asked so far has left nothing behind. */
function rekeyed(step: StepRecord, before: StepRecord): StepRecord {
  if (before.state !== "Failed" && !outcomeIsUnknown(before)) return step;
  return { ...step, generation: step.generation + 1 };
}

/** A step of an order that was undone. Under its old key a service would answer for the effect that is undone. */
function begunAnew({ completedIn, unsure, ...step }: StepRecord): StepRecord {
  return { ...step, ...NOT_STARTED, result: null, undo: null, generation: step.generation + 1 };
}

function readyForUndo(step: StepRecord): StepRecord {
  const forward = isInHand(step) ? reset(step) : step;
  const run = forward.undo;
  if (run?.state !== "Failed" && !isInHand(run)) return forward;
  return { ...forward, undo: { ...run, state: "NotStarted", startBy: null, completeBy: null } };
}

function namesOf(steps: Steps, holds: (step: StepRecord) => boolean): string[] {
  return Object.entries(steps).flatMap(([name, step]) => (holds(step) ? [name] : []));
}

function mapSteps(steps: Steps, change: (step: StepRecord) => StepRecord): Steps {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, change(step)]));
}

/** All of them are UTC in one form, so their order as texts is their order in time. */
function latest(instants: readonly (string | null | undefined)[]): string | undefined {
  return instants
    .filter((at) => at !== null && at !== undefined)
    .sort()
    .at(-1);
}

function remembered(record: StateRecord, { by, now }: Occasion, what: string): StateRecord["history"] {
  return [...record.history, { at: now, what, by }].slice(-HISTORY_LIMIT);
}

const refused = (reason: string): Decision => ({ kind: "refused", reason });
