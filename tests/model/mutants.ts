// One planted fault for each guard that the operations and their stores rely on, with the smallest world in which it shows.
import { after } from "../../shared/domain/duration.ts";
import { isInHand, mayHaveHadEffect } from "../../shared/domain/plan.ts";
import { NOT_STARTED, type StateRecord } from "../../shared/domain/state-record.ts";
import { expiresAt } from "../../shared/domain/step-run.ts";
import type { Change, GuardedWrite } from "../../shared/domain/transitions.ts";
import { TICK_MS } from "./abstract-time.ts";
import type { Mutant } from "./mutant.ts";
import type { OperationName } from "./operation-run.ts";
import {
  type Bounds,
  CHAIN,
  FORK,
  HOSTS,
  LATER,
  LATER_FORK,
  LONG_CHAIN,
  NOTHING_GOES_WRONG,
  QUEUE,
  REQUESTS,
  type Setting,
  SPARE,
  UNEQUAL,
} from "./setting.ts";

export interface Planted {
  readonly setting: Setting;
  /** Words of the fault that it leads to. */
  readonly leadsTo: string;
}

interface World {
  readonly workflow?: Setting["workflow"];
  readonly bounds?: Partial<Bounds>;
  readonly hosts?: Setting["hosts"];
  readonly requests?: Setting["requests"];
  readonly known?: readonly string[];
}

/** Refused for good, it is left to an operator: beside the step that was refused another may be at work. */
const FORK_LEFT: Setting["workflow"] = { ...FORK, policy: { ...FORK.policy, onRejected: "fail" } };

function plant(name: string, leadsTo: string, mutant: Mutant, world: World = {}): Planted {
  const { workflow = CHAIN, bounds, hosts = ["east"], requests = [], known = [] } = world;
  return {
    leadsTo,
    setting: { name, workflow, bounds: { ...NOTHING_GOES_WRONG, ...bounds }, hosts, requests, known, mutant },
  };
}

/** Each step that waited in vain has failed once more. */
function withWaitsCounted(record: StateRecord): StateRecord {
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.waitCount > 0 ? { ...step, failureCount: (step.failureCount ?? 0) + 1 } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** Schedules what is next, or concludes, only after the step is completed. */
function apart(write: GuardedWrite): readonly GuardedWrite[] {
  const [step, ...rest] = write.changes;
  if (!step || write.guard.step === undefined || !rest.some(isOfMerged)) return [write];
  const { step: _, siblings, ...fence } = write.guard;
  return [
    { guard: write.guard, changes: [step] },
    { guard: fence, changes: rest },
  ];
}

/** Takes the order, and schedules its steps only then. */
function claimApart(write: GuardedWrite): readonly GuardedWrite[] {
  const [state, holder, ...rest] = write.changes;
  if (!state || !holder || !write.guard.processStates.includes("Pending") || write.guard.step) return [write];
  const { processState, lockedBy } = Object.fromEntries(
    [state, holder].map((change) => [change.path[0], newValueOf(change)]),
  );
  if (processState !== "Processing") return [write];
  return [
    { guard: write.guard, changes: [state, holder] },
    { guard: { ...write.guard, processStates: [processState], lockedBy: lockedBy as string }, changes: rest },
  ];
}

/** Ends an order, and says only then that the shop has to be told. */
function noticeApart(write: GuardedWrite): readonly GuardedWrite[] {
  const notice = write.changes.filter(({ op, path }) => op === "append" && path[0] === "notices");
  const end = write.changes.find(({ path }) => path[0] === "processState");
  if (notice.length === 0 || !end) return [write];
  const { attempt } = write.guard;
  const due = write.changes.filter(({ path }) => path[0] === "dueAt");
  const rest = write.changes.filter((change) => !notice.includes(change) && !due.includes(change));
  return [
    { guard: write.guard, changes: [...rest, { op: "remove", path: ["dueAt"] }] },
    {
      guard: { processStates: ["Error"], lockedBy: null, ...(attempt !== undefined && { attempt }) },
      changes: [...due, ...notice],
    },
  ];
}

const newValueOf = (change: Change): unknown => ("value" in change ? change.value : undefined);
const isOfMerged = ({ path }: Change) => path[0] === "processState" || path[0] === "steps";

function withoutUnknown(record: StateRecord, operation: OperationName): StateRecord {
  const steps = Object.entries(record.steps).map(([name, step]) => {
    const isUnknown = step.state !== "Completed" && mayHaveHadEffect(step);
    return [name, isUnknown ? { ...step, ...NOT_STARTED } : step];
  });
  const isClaim = operation === "takeWake" && record.direction === "undo";
  return isClaim ? { ...record, steps: Object.fromEntries(steps) } : record;
}

/** To the supervisor a step that waits for its agent looks as if an agent were at work on it. */
function waitingAsRunning(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "sweep") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "Scheduled" ? { ...step, state: "Running" } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** To the supervisor all steps in hand have the time of the one that has least. */
function byShortest(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "sweep") return record;
  const inHand = Object.entries(record.steps).filter(([, step]) => isInHand(step));
  const [shortest] = inHand.map(([, step]) => expiresAt(step)).sort();
  if (shortest === undefined) return record;
  const cut = inHand.map(([name, step]) => [name, { ...step, startBy: shortest, completeBy: shortest }]);
  return { ...record, steps: { ...record.steps, ...Object.fromEntries(cut) } };
}

/** To the claim of an undo the time of a step that is at work looks as if it were over. */
function atWorkAsExpired(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "takeWake" || record.direction !== "undo") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    isInHand(step) ? { ...step, state: "NotStarted", startBy: null, completeBy: null } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** To an operator's action an order that waits looks as if nothing had been done for it. */
function waitingAsUntouched(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "operateOrder" || record.processState !== "Pending") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "NotStarted" ? { ...step, ...NOT_STARTED } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** Word of a step that waits gives it the time that another step would have. */
function shortened(record: StateRecord): StateRecord {
  const steps = Object.entries(record.steps).map(([name, step]) => {
    const { heardAt } = step.state === "Awaiting" ? (step.accepted ?? {}) : {};
    return [name, heardAt === undefined ? step : { ...step, completeBy: after(heardAt, TICK_MS) }];
  });
  return { ...record, steps: Object.fromEntries(steps) };
}

/** A step that is skipped, as if it had left nothing behind. */
function skippedWithoutTrace(record: StateRecord): StateRecord {
  const steps = Object.entries(record.steps).map(([name, { unsure, ...step }]) => [
    name,
    step.state === "Skipped" || unsure === undefined ? step : { ...step, unsure },
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** Who records what came of a step takes what is undone beside it for a step that nobody is at work on. */
function withoutUndoBeside(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "runStep" || record.direction !== "forward") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "Skipped" ? { ...step, undo: { ...NOT_STARTED, state: "Completed" as const } } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** To a claim a skipped step looks as if it had yet to be done. */
function skippedAsOpen(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "takeWake") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "Skipped" ? { ...step, state: "NotStarted" as const } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** The first that comes of it; what is wrong with the order itself comes later. */
const TOLD_EARLY = ["told before Received"];
const NOT_TOLD_AFTER_OUTAGE = ["never told StepCompleted", "never told Completed"];

export const PLANTED: readonly Planted[] = [
  plant("a fence without the attempt", "superseded", { forgets: ["attempt"] }, { bounds: { stalls: 1 } }),
  plant(
    "a fence without holder and attempt",
    "superseded",
    { forgets: ["lockedBy", "attempt"] },
    { bounds: { stalls: 1 } },
  ),
  plant(
    "a fence without the process state",
    "an ended order changed",
    { forgets: ["processStates"] },
    { bounds: { stalls: 1, repeats: 1 } },
  ),
  plant(
    "a step's write without its running-guard",
    "which does not run it",
    { forgets: ["step"] },
    { workflow: LONG_CHAIN, bounds: { repeats: 1 } },
  ),
  plant("a join's write without its sibling-guard", "no step runs", { forgets: ["siblings"] }, { workflow: FORK }),
  plant("a store that ignores versions", "back to Pending", { ignoresVersion: "all" }, { hosts: HOSTS }),
  plant("a step and what is next in two writes", "no step runs", { splits: apart }),
  plant("a claim and its steps in two writes", "no step runs", { splits: claimApart }),
  plant(
    "an end and its notice in two writes",
    "never told Undone",
    { splits: noticeApart },
    { bounds: { outages: 1, refusals: 1 }, known: NOT_TOLD_AFTER_OUTAGE },
  ),
  plant("a supervisor without grace", "before its time", { timing: { clockSkewMs: 0 } }, { hosts: HOSTS }),
  plant("two hosts with one name", "both believe", { oneTaskHub: true }, { hosts: HOSTS, bounds: { repeats: 1 } }),
  plant("an agent that goes on past complete-by", "while attempt 2 holds", { ignoresCompleteBy: true }),
  plant(
    "a reply that is recorded however late",
    "after complete-by",
    { acceptsLateReplies: true },
    { workflow: QUEUE, bounds: { stalls: 1 } },
  ),
  plant("another key with each attempt", "has no effect", { keyOf: (key, attempt) => `${key}:${attempt}` }),
  plant(
    "the same key once it is undone",
    "a key that is undone",
    { keyOf: (key) => key.replace(/:\d+$/, "") },
    { bounds: { actions: 1 }, requests: [REQUESTS.resubmit] },
  ),
  plant("an undo that forgets unknown outcomes", "are left", { reads: withoutUnknown }, { bounds: { lateness: 1 } }),
  plant(
    "a supervisor that takes waiting for failure",
    "that no agent took up",
    { reads: waitingAsRunning },
    { bounds: { stalls: 1 } },
  ),
  plant(
    "a wait that counts as a failure of its step",
    "that no agent took up",
    { replaces: withWaitsCounted },
    { bounds: { stalls: 1 } },
  ),
  plant(
    "an agent that begins without asking",
    "while attempt 2 holds",
    { ignoresTakeUp: true },
    { bounds: { stalls: 1, repeats: 1 } },
  ),
  plant(
    "an operator's attempt that starts at once",
    "while attempt 2 holds",
    { hurries: true },
    { workflow: FORK_LEFT, bounds: { actions: 1, refusals: 1 }, requests: [REQUESTS.resubmit] },
  ),
  plant(
    "a second action that forgets who is at work since before the first",
    "while attempt 3 holds",
    { replaces: ({ busyUntil, ...record }) => record },
    { workflow: FORK_LEFT, bounds: { actions: 2, refusals: 1 }, requests: [REQUESTS.resubmit] },
  ),
  plant(
    "a mark of taking up that cuts an extension short",
    "is cut short",
    { forgets: ["dueBy"] },
    { bounds: { actions: 1, lateness: 1 }, requests: [REQUESTS.extend] },
  ),
  plant(
    "a mark of taking up that cuts an extension short, over queues",
    "is cut short",
    { forgets: ["dueBy"] },
    { workflow: QUEUE, bounds: { actions: 1, lateness: 1 }, requests: [REQUESTS.extend] },
  ),
  plant(
    "a waiting order that is resubmitted though it was claimed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "operateOrder" },
    { bounds: { actions: 1 }, requests: [REQUESTS.resubmit], known: TOLD_EARLY },
  ),
  plant(
    "a waiting order that is undone though it was claimed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "operateOrder" },
    { bounds: { actions: 1 }, requests: [REQUESTS.undo], known: TOLD_EARLY },
  ),
  plant(
    "a waiting order that is cancelled though it was claimed meanwhile",
    "are left",
    { ignoresVersion: "operateOrder" },
    { bounds: { actions: 1 }, requests: [REQUESTS.cancel], known: TOLD_EARLY },
  ),
  plant(
    "a waiting order that is cancelled as if nothing had been done",
    "are left",
    { reads: waitingAsUntouched },
    { bounds: { actions: 1, lateness: 1 }, requests: [REQUESTS.cancel] },
  ),
  plant(
    "a step that is judged by the shortest beside it",
    "while it has time",
    { reads: byShortest },
    { workflow: UNEQUAL },
  ),
  plant(
    "a step's write that does not ask whose run it is",
    "which does not run it",
    { forgets: ["run"] },
    { bounds: { stalls: 1, lateness: 1 } },
  ),
  plant(
    "a claim that does not see what is completed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "takeWake" },
    { workflow: UNEQUAL },
  ),
  plant(
    "a step's end that does not see what is completed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "runStep" },
    { workflow: UNEQUAL },
  ),
  plant(
    "a step that is skipped as if it had no effect",
    "processed, with the effects of",
    { replaces: skippedWithoutTrace },
    { workflow: SPARE, bounds: { lateness: 1 } },
  ),
  plant(
    "a step's end that does not see what is undone beside it",
    "processed, with the effects of",
    { reads: withoutUndoBeside },
    { workflow: SPARE, bounds: { lateness: 1 } },
  ),
  plant(
    "a claim that begins a skipped step again",
    "runs again after it was skipped",
    { reads: skippedAsOpen },
    { workflow: SPARE, bounds: { lateness: 1 } },
  ),
  plant(
    "an undo of a step that is at work",
    "calls the service for b while attempt",
    { reads: atWorkAsExpired },
    { workflow: UNEQUAL, bounds: { refusals: 1 } },
  ),
  plant(
    "a report that is recorded however late",
    "after complete-by",
    { acceptsLateReplies: true },
    { workflow: LATER, bounds: { lateness: 1 } },
  ),
  plant(
    "a report of somebody who was not asked",
    "is completed and has no effect",
    { ignoresNonce: true },
    { workflow: LATER, bounds: { forgeries: 1 } },
  ),
  plant(
    "an acceptance that does not see that it is done already",
    "which does not run it",
    { forgets: ["step"] },
    { workflow: LATER },
  ),
  plant(
    "a step that waits and is judged by the shortest beside it",
    "while it has time",
    { reads: byShortest },
    { workflow: LATER_FORK, bounds: { lateness: 1 } },
  ),
  plant(
    "word of a step that waits, and takes time away",
    "may wait is cut short",
    { replaces: shortened },
    { workflow: LATER, bounds: { progress: 1 } },
  ),
];

/**
 * The holder's name in the fence: an attempt's number is never given twice, and the claim, which asks for a Pending order, lets
 * one holder in for each. So the attempt and the process state guard what it guards; it is there for whoever reads the record.
 */
export const SPARED: readonly Setting[] = [
  plant("a fence without the holder", "", { forgets: ["lockedBy"] }, { hosts: HOSTS, bounds: { repeats: 1 } }).setting,
  plant(
    "a fence without the holder, over queues",
    "",
    { forgets: ["lockedBy"] },
    { workflow: QUEUE, bounds: { deaths: 1 } },
  ).setting,
];
