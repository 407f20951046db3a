// The business of fulfilling an order. Both versions run: an order keeps the one that it started with.
import type { RecoveryPolicy, Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { defineWorkflow } from "../define-workflow.ts";

const policy: RecoveryPolicy = { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" };

/** One step after the other; what can't be done is left to an operator. */
const chain = defineWorkflow({
  name: "order-fulfilment",
  version: 1,
  policy,
  outputs: { chargeId: "takePayment.chargeId", shipmentId: "arrangeShipping.shipmentId" },
  cancelUntil: "arrangeShipping",
  steps: [
    {
      name: "reserveStock",
      agent: "inventory",
      operation: "reserve",
      after: [],
      completeWithin: "PT10S",
      compensation: { operation: "release", completeWithin: "PT10S" },
    },
    {
      name: "takePayment",
      agent: "payment",
      operation: "authorize",
      after: ["reserveStock"],
      completeWithin: "PT10S",
      compensation: { operation: "void", completeWithin: "PT10S" },
    },
    {
      name: "arrangeShipping",
      agent: "shipping",
      operation: "arrange",
      after: ["takePayment"],
      completeWithin: "PT10S",
      compensation: { operation: "cancel", completeWithin: "PT10S" },
    },
  ],
});

/**
 * Reserve stock; take payment and check for fraud side by side; arrange shipping; capture the payment. What a service rejects
 * for good is compensated, for nobody gains by an order that is half done. The fraud check goes over its agent's queue: whoever
 * does it may be another team, in another language.
 */
const graph = defineWorkflow({
  name: "order-fulfilment",
  version: 2,
  outputs: { chargeId: "takePayment.chargeId", shipmentId: "arrangeShipping.shipmentId" },
  cancelUntil: "arrangeShipping",
  policy: { ...policy, onRejected: "compensate", onExhausted: "compensate" },
  steps: [
    {
      name: "reserveStock",
      agent: "inventory",
      operation: "reserve",
      after: [],
      completeWithin: "PT10S",
      compensation: { operation: "release", completeWithin: "PT10S" },
    },
    {
      name: "takePayment",
      agent: "payment",
      operation: "authorize",
      after: ["reserveStock"],
      completeWithin: "PT10S",
      compensation: { operation: "void", completeWithin: "PT10S" },
      // A rejected card has a person behind it, who may fix it: an operator resubmits.
      policy: { onRejected: "fail" },
    },
    {
      name: "checkFraud",
      agent: "fraud",
      operation: "check",
      transport: "queue",
      after: ["reserveStock"],
      completeWithin: "PT10S",
      compensation: "nothing",
    },
    {
      name: "arrangeShipping",
      agent: "shipping",
      operation: "arrange",
      after: ["takePayment", "checkFraud"],
      completeWithin: "PT10S",
      compensation: { operation: "cancel", completeWithin: "PT10S" },
      policy: { waits: ["PT1M", "PT5M", "PT30M"] },
    },
    {
      name: "capturePayment",
      agent: "payment",
      operation: "capture",
      after: ["arrangeShipping"],
      completeWithin: "PT10S",
      compensation: { operation: "refund", completeWithin: "PT10S" },
    },
  ],
});

export const orderFulfilment: readonly Workflow[] = [chain, graph];
