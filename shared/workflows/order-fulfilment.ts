// The business of fulfilling an order. All versions run: an order keeps the one that it started with.
import type { RecoveryPolicy } from "@scheduler-agent-supervisor/core/workflows";
import { defineWorkflow } from "../define-workflow.ts";

const earlier: RecoveryPolicy = { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" };

/**
 * A service may be away for half an hour without a person having to act. After that an operator resubmits the failed step: a compensation
 * would need the same services. What a service rejects is compensated, for nobody gains by an order that is half done.
 */
const policy: RecoveryPolicy = {
  failureThreshold: 3,
  waits: ["PT1M", "PT5M", "PT30M"],
  onExhausted: "fail",
  onRejected: "compensate",
};

const outputs = { chargeId: "takePayment.chargeId", shipmentId: "arrangeShipping.shipmentId" } as const;

const reserveStock = {
  name: "reserveStock",
  agent: "inventory",
  operation: "reserve",
  after: [],
  completeWithin: "PT10S",
  compensation: { operation: "release", completeWithin: "PT10S" },
} as const;

const takePayment = {
  name: "takePayment",
  agent: "payment",
  operation: "authorize",
  after: ["reserveStock"],
  completeWithin: "PT10S",
  compensation: { operation: "void", completeWithin: "PT10S" },
} as const;

/** A rejected card has a person behind it, who may fix it: an operator resubmits. */
const takePaymentOrAsk = { ...takePayment, policy: { onRejected: "fail" } } as const;

/** Over its agent's queue: whoever does it may be another team, in another language. */
const checkFraud = {
  name: "checkFraud",
  agent: "fraud",
  operation: "check",
  transport: "queue",
  after: ["reserveStock"],
  completeWithin: "PT10S",
  compensation: "nothing",
} as const;

const arrangeShipping = {
  name: "arrangeShipping",
  agent: "shipping",
  operation: "arrange",
  after: ["takePayment", "checkFraud"],
  completeWithin: "PT10S",
  compensation: { operation: "cancel", completeWithin: "PT10S" },
} as const;

const capturePayment = {
  name: "capturePayment",
  agent: "payment",
  operation: "capture",
  after: ["arrangeShipping"],
  completeWithin: "PT10S",
  compensation: { operation: "refund", completeWithin: "PT10S" },
} as const;

/** One step after the other; what can't be done is left to an operator. */
const chain = defineWorkflow({
  name: "order-fulfilment",
  version: 1,
  policy: earlier,
  outputs,
  cancelUntil: "arrangeShipping",
  steps: [reserveStock, takePayment, { ...arrangeShipping, after: ["takePayment"] }],
});

/** The graph of version 3. It waits for shipping alone, and compensates what a service did not do in time. */
const compensating = defineWorkflow({
  name: "order-fulfilment",
  version: 2,
  policy: { ...earlier, onRejected: "compensate", onExhausted: "compensate" },
  outputs,
  cancelUntil: "arrangeShipping",
  steps: [
    reserveStock,
    takePaymentOrAsk,
    checkFraud,
    { ...arrangeShipping, policy: { waits: ["PT1M", "PT5M", "PT30M"] } },
    capturePayment,
  ],
});

/** Reserve stock; take payment and check for fraud in parallel; arrange shipping; capture the payment. */
const waiting = defineWorkflow({
  name: "order-fulfilment",
  version: 3,
  policy,
  outputs,
  cancelUntil: "arrangeShipping",
  steps: [reserveStock, takePaymentOrAsk, checkFraud, arrangeShipping, capturePayment],
});

export const orderFulfilment = [chain, compensating, waiting] as const;
