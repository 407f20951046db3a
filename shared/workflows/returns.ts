// The business of taking goods back: pick them up, put them on the shelf, give the money back.

import type { RecoveryPolicy } from "@scheduler-agent-supervisor/core/workflows";
import { defineWorkflow } from "../define-workflow.ts";
import { REFUNDING_STEP, REFUNDS_AGENT, RESERVING_STEP } from "../domain/refund.ts";

const policy: RecoveryPolicy = { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" };

const pickUp = {
  name: "pickUp",
  agent: "shipping",
  operation: "pickUp",
  after: [],
  completeWithin: "PT10S",
  compensation: { operation: "cancelPickUp", completeWithin: "PT10S" },
} as const;

const restock = {
  name: "restock",
  agent: "inventory",
  operation: "restock",
  after: ["pickUp"],
  completeWithin: "PT10S",
  compensation: { operation: "withdraw", completeWithin: "PT10S" },
} as const;

const refund = {
  name: REFUNDING_STEP,
  agent: "payment",
  operation: "refundReturn",
  after: ["restock"],
  completeWithin: "PT10S",
  // Money that was sent back comes again only if the customer sends it.
  compensation: "manual",
} as const;

/** It reserves nothing: payment rejects what is left of its orders, and an operator sees to them. */
const unreserved = defineWorkflow({ name: "returns", version: 1, policy, steps: [pickUp, restock, refund] });

const reserve = {
  name: RESERVING_STEP,
  agent: REFUNDS_AGENT,
  operation: "reserve",
  after: [],
  completeWithin: "PT30S",
  compensation: { operation: "release", completeWithin: "PT30S" },
  // Nothing was done yet: the sender receives the reason, and nobody has to look.
  policy: { onRejected: "compensate" },
} as const;

const steps = [reserve, { ...pickUp, after: [RESERVING_STEP] }, restock, refund] as const;

/** What is refunded is reserved first, in the record of the order that was sold. */
const reserved = defineWorkflow({ name: "returns", version: 2, policy, steps });

/** It waits for a service that is away, as an order does. */
const waiting = defineWorkflow({
  name: "returns",
  version: 3,
  policy: { ...policy, waits: ["PT1M", "PT5M", "PT30M"] },
  steps,
});

export const returns = [unreserved, reserved, waiting] as const;
