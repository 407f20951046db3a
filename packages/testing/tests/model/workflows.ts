// The workflows of the model's own worlds: each has a shape that some guard is there for.

import type { RecoveryPolicy, Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { LISTING } from "../../src/model/service.ts";

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

/** A chain whose last step may be rejected: the compensation before it has one try, so that it is soon exhausted. */
export const EXHAUSTED: Workflow = {
  ...CHAIN,
  steps: [
    step("a", [], "operation"),
    { ...step("b", ["a"], "operation"), policy: once },
    step("c", ["b"], "operation"),
  ],
};

/** The same with a step less, of which each has one try. */
export const EXHAUSTED_SOON: Workflow = {
  ...CHAIN,
  policy: { ...policy, ...once },
};

/** Two steps side by side that the job can do without, one that needs the first, and one after all of them. */
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

/** Two steps side by side, of which the rejection of one leaves the job to a person while the other may be at work. */
export const FORK_LEFT: Workflow = { ...FORK, policy: { ...policy, onRejected: "fail" } };

/** One step after the other, of which a rejection leaves the job to a person. */
export const CHAIN_LEFT: Workflow = { ...CHAIN, policy: { ...policy, onRejected: "fail" } };

/** The two alone. */
export const PAIR_LEFT: Workflow = { ...FORK_LEFT, steps: [step("a", [], "operation"), step("b", [], "operation")] };

/** A step that the job can do without and that has one try. */
export const SKIPPED: Workflow = {
  ...CHAIN,
  steps: [{ ...step("a", [], "operation"), optional: true, policy: once }],
};

/** One step after the other, of which the second is under a condition. */
export const UNDER_CONDITION: Workflow = {
  ...CHAIN,
  steps: [
    step("a", [], "operation"),
    { ...step("b", ["a"], "operation"), when: "wanted" },
    step("c", ["b"], "operation"),
  ],
};

/** One step after the other, of which the service does the first later. */
export const LATER: Workflow = {
  ...CHAIN,
  steps: [{ ...step("a", [], "operation"), awaitWithin: "PT60S" }, step("b", ["a"], "operation")],
};

/** Its compensation is done later too. */
export const LATER_BACK: Workflow = {
  ...CHAIN,
  steps: [
    {
      ...step("a", [], "operation"),
      awaitWithin: "PT60S",
      compensation: { operation: "compensateA", completeWithin: "PT30S", awaitWithin: "PT60S" },
    },
  ],
};

/** One step, and a time for the whole. */
export const UNTIL_DEADLINE: Workflow = {
  ...CHAIN,
  deadline: { completeWithin: "P366D", onExpired: "compensate" },
  steps: [step("a", [], "operation")],
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

/** A step whose result has a list of two, a step that runs for each of them, and one after both. */
export const LISTED: Workflow = {
  ...CHAIN,
  steps: [
    step(LISTING, [], "operation"),
    { ...step("b", [LISTING], "operation"), forEach: `${LISTING}.parts` },
    step("c", ["b"], "operation"),
  ],
};
