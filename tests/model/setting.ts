// The small world that the model is about: two hosts, one order, a workflow, and how much may go wrong.

import type { RecoveryPolicy, Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/domain/workflow";
import type { OperatorRequest } from "@scheduler-agent-supervisor/core/messaging/operator-request";
import type { Timing } from "@scheduler-agent-supervisor/core/operations/ports";
import type { Order } from "../../shared/contracts/order.ts";
import { sampleOrder } from "../support/orders.ts";
import { TICK_MS } from "./abstract-time.ts";
import type { Mutant } from "./mutant.ts";

export type Host = "east" | "west";
export const HOSTS: readonly Host[] = ["east", "west"];

/** The hosts' clocks differ by as much as the settings allow. */
const CLOCK_SKEW_MS = 1.5 * TICK_MS;
export const AHEAD_MS: { readonly [host in Host]: number } = { east: 0, west: CLOCK_SKEW_MS };

export const TIMING: Timing = {
  holdWithinMs: 180_000,
  misconfiguredRetryMs: 300_000,
  claimWithinMs: TICK_MS,
  clockSkewMs: CLOCK_SKEW_MS,
  sweepWithinMs: 5000,
  unrecordedMs: 0,
  orchestrationsKeptForMs: TICK_MS,
};

/** How often each of these may happen in one run; what is not named here may happen at any time and without limit. */
export interface Bounds {
  /** A process, a message or a timer stands still while the clock ticks, though it could go on. */
  readonly stalls: number;
  /** A process dies between two of its effects; what is durable is taken up again. */
  readonly deaths: number;
  /** A message is delivered twice, or an activity runs twice at the same time. */
  readonly repeats: number;
  /** The store or the bus fails: before it did what was asked, or after it with the answer lost. */
  readonly outages: number;
  /** What an operator does. */
  readonly actions: number;
  /** A service rejects for good. */
  readonly rejections: number;
  /** A service acts and its answer is lost, or acts after the agent gave up; or does later than it may what it accepted. */
  readonly lateness: number;
  /** Whoever does a step later says that it is still at it, and wants more time. */
  readonly progress: number;
  /** Somebody who was not asked reports that a step is done. */
  readonly forgeries: number;
}

export const NOTHING_GOES_WRONG: Bounds = {
  stalls: 0,
  deaths: 0,
  repeats: 0,
  outages: 0,
  actions: 0,
  rejections: 0,
  lateness: 0,
  progress: 0,
  forgeries: 0,
};

export interface Setting {
  readonly name: string;
  readonly workflow: Workflow;
  readonly bounds: Bounds;
  /** What the operator may ask for. */
  readonly requests: readonly OperatorRequest[];
  /** The hosts that take work and sweep. */
  readonly hosts: readonly Host[];
  /** Nothing is abstracted away but the time of day: for comparing the model with itself (abstraction.test.ts). */
  readonly isExact?: boolean;
  /** Explored without any reduction: for comparing the reduced model with it (reduction.test.ts). */
  readonly isUnreduced?: boolean;
  /** A service that may accept what it has just rejected for good. */
  readonly isFickle?: boolean;
  readonly mutant?: Mutant;
  /** Faults that are known and stand in the README, by their words: the explorer passes over them. */
  readonly known?: readonly string[];
}

const policy: RecoveryPolicy = {
  failureThreshold: 2,
  waits: ["PT30S"],
  onExhausted: "compensate",
  onRejected: "compensate",
};
const step = (
  name: string,
  after: readonly string[],
  compensation: "manual" | "nothing" | "operation",
  transport: "activity" | "queue" = "activity",
): WorkflowStep => ({
  name,
  transport,
  agent: "service",
  operation: name,
  after,
  startWithin: "PT30S",
  completeWithin: "PT30S",
  compensation: compensation === "operation" ? { operation: `un${name}`, completeWithin: "PT30S" } : compensation,
});

/** Two steps side by side, one of which only a person can compensate, and one after them. */
export const FORK: Workflow = {
  name: "model",
  version: 1,
  policy,
  steps: [step("a", [], "operation"), step("b", [], "manual"), step("c", ["a", "b"], "operation")],
};

/**
 * Two steps side by side, one of which has much more time than the other: by then a sweep may look. For worlds without stalls: what
 * stood still for long would, after 75 s more, be as old as the clocks differ, and so not over on both (abstract-time.ts).
 */
export const UNEQUAL: Workflow = {
  ...FORK,
  steps: [
    { ...step("a", [], "operation"), completeWithin: "PT10S" },
    { ...step("b", [], "operation"), completeWithin: "PT75S" },
    step("c", ["a", "b"], "operation"),
  ],
};

/** A step that begins when one of two steps side by side is done, and one that waits for both. */
export const BRANCH: Workflow = {
  name: "model",
  version: 1,
  policy,
  steps: [
    step("a", [], "operation"),
    step("b", [], "nothing"),
    step("c", ["a"], "operation"),
    step("d", ["b", "c"], "manual"),
  ],
};

/** The fork the other way round: its compensation ends with two steps side by side. */
export const JOIN: Workflow = {
  name: "model",
  version: 1,
  policy,
  steps: [step("a", [], "operation"), step("b", [], "operation"), step("c", ["a", "b"], "manual")],
};

/** One step after the other. */
export const CHAIN: Workflow = {
  name: "model",
  version: 1,
  policy,
  steps: [step("a", [], "operation"), step("b", ["a"], "operation")],
};

export const LONG_CHAIN: Workflow = {
  ...CHAIN,
  steps: [step("a", [], "operation"), step("b", ["a"], "operation"), step("c", ["b"], "operation")],
};

/** Six steps, one after the other. */
export const SIX: Workflow = {
  ...CHAIN,
  steps: [
    ...LONG_CHAIN.steps,
    step("d", ["c"], "operation"),
    step("e", ["d"], "operation"),
    step("f", ["e"], "operation"),
  ],
};

/** Six steps, of which twice two are side by side. */
export const SIX_ABREAST: Workflow = {
  ...CHAIN,
  steps: [
    step("a", [], "operation"),
    step("b", ["a"], "operation"),
    step("c", ["a"], "nothing"),
    step("d", ["b", "c"], "operation"),
    step("e", ["b", "c"], "manual"),
    step("f", ["d", "e"], "operation"),
  ],
};

/** What fails once is not tried again. */
const once: Partial<RecoveryPolicy> = { failureThreshold: 1, waits: [] };

/** Two steps side by side that the order can do without, one that needs the first, and one after all of them. */
export const OPTIONAL: Workflow = {
  name: "model",
  version: 1,
  policy,
  steps: [
    { ...step("a", [], "operation"), optional: true, policy: once },
    step("b", [], "operation"),
    { ...step("c", ["a"], "nothing"), needs: ["a"] },
    step("d", ["b", "c"], "operation"),
  ],
};

/** A step with another one in its place, and one that follows on whichever was done. */
export const SPARE: Workflow = {
  name: "model",
  version: 1,
  policy,
  steps: [
    { ...step("a", [], "operation"), otherwise: "b", policy: once },
    step("b", ["a"], "operation"),
    step("c", ["a"], "operation"),
  ],
};

/** One step after the other, the first over its agent's queue. */
export const QUEUE: Workflow = {
  name: "model",
  version: 1,
  policy,
  steps: [step("a", [], "operation", "queue"), step("b", ["a"], "operation")],
};

export const LATER_MS = 2 * TICK_MS;

/** One step after the other, of which the service does the first later. */
export const LATER: Workflow = {
  ...CHAIN,
  steps: [{ ...step("a", [], "operation"), awaitWithin: "PT60S" }, step("b", ["a"], "operation")],
};

/** The same beside a step that has much less time, and is done at once: as UNEQUAL, for worlds without stalls. */
export const LATER_FORK: Workflow = {
  ...FORK,
  steps: [
    { ...step("a", [], "operation"), awaitWithin: "PT75S" },
    { ...step("b", [], "nothing"), completeWithin: "PT10S" },
    step("c", ["a", "b"], "operation"),
  ],
};

export const ORDER: Order = sampleOrder("order", { workflow: "model" });
export const REQUESTS = {
  resubmit: { kind: "resubmit", reason: "fixed", order: null, compensatedManually: true },
  edit: { kind: "resubmit", reason: "corrected", order: ORDER, compensatedManually: true },
  compensation: { kind: "compensate", reason: "not wanted" },
  cancel: { kind: "cancel", reason: "sent by mistake" },
  extend: { kind: "extend", reason: "patience", byMs: TICK_MS },
} as const satisfies Record<string, OperatorRequest>;
