// The business of taking goods back: pick them up, put them on the shelf, give the money back.

import type { RecoveryPolicy, Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/domain/workflow";
import { REFUNDING_STEP, REFUNDS_AGENT, RESERVING_STEP } from "../domain/refund.ts";

const policy: RecoveryPolicy = { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" };

const pickUp: WorkflowStep = {
  name: "pickUp",
  agent: "shipping",
  operation: "pickUp",
  after: [],
  completeWithin: "PT10S",
  compensation: { operation: "cancelPickUp", completeWithin: "PT10S" },
};

const steps: readonly WorkflowStep[] = [
  pickUp,
  {
    name: "restock",
    agent: "inventory",
    operation: "restock",
    after: ["pickUp"],
    completeWithin: "PT10S",
    compensation: { operation: "withdraw", completeWithin: "PT10S" },
  },
  {
    name: REFUNDING_STEP,
    agent: "payment",
    operation: "refundReturn",
    after: ["restock"],
    completeWithin: "PT10S",
    // Money that was sent back comes again only if the customer sends it.
    compensation: "manual",
  },
];

/** It reserves nothing: payment rejects what is left of its orders, and an operator sees to them. */
const unreserved: Workflow = { name: "returns", version: 1, policy, steps };

/** What is refunded is reserved first, in the record of the order that was sold. */
const reserved: Workflow = {
  ...unreserved,
  version: 2,
  steps: [
    {
      name: RESERVING_STEP,
      agent: REFUNDS_AGENT.name,
      operation: "reserve",
      after: [],
      completeWithin: "PT30S",
      compensation: { operation: "release", completeWithin: "PT30S" },
      // Nothing was done yet: the sender is told why, and nobody has to look.
      policy: { onRejected: "compensate" },
    },
    { ...pickUp, after: [RESERVING_STEP] },
    ...steps.slice(1),
  ],
};

export const returns: readonly Workflow[] = [unreserved, reserved];

/** The workflows whose orders name the order that was sold. */
export const returnWorkflows: readonly string[] = [...new Set(returns.map(({ name }) => name))];
