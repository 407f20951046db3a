// Jobs, workflows and records that the core's tests work with. They are nobody's business but theirs: an app's own may be anything.

import type { Job } from "../src/domain/content/job.ts";
import type { RecoveryPolicy, Workflow, WorkflowStep } from "../src/domain/definition/workflow.ts";
import { after } from "../src/domain/duration.ts";
import { newStateRecord } from "../src/domain/record/new-state-record.ts";
import type { StateRecord } from "../src/domain/record/state-record.ts";

export const NOON = "2026-01-01T12:00:00.000Z";
export const NOON_MS = Date.parse(NOON);

/** How the tests' writes schedule steps. */
export const SCHEDULING = { startWithinMs: 30_000, unrecordedMs: 2000, nonce: () => "nonce" };

const policy: RecoveryPolicy = { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" };

const RESERVE_STOCK: WorkflowStep = {
  name: "reserveStock",
  agent: "inventory",
  operation: "reserve",
  after: [],
  completeWithin: "PT10S",
  compensation: { operation: "release", completeWithin: "PT10S" },
};
const TAKE_PAYMENT: WorkflowStep = {
  name: "takePayment",
  agent: "payment",
  operation: "authorize",
  after: ["reserveStock"],
  completeWithin: "PT10S",
  compensation: { operation: "void", completeWithin: "PT10S" },
};
const ARRANGE_SHIPPING: WorkflowStep = {
  name: "arrangeShipping",
  agent: "shipping",
  operation: "arrange",
  after: ["takePayment"],
  completeWithin: "PT10S",
  compensation: { operation: "cancel", completeWithin: "PT10S" },
};

/** One step after the other; what can't be done is left to an operator. */
export const CHAIN: Workflow = {
  name: "job-fulfilment",
  version: 1,
  policy,
  outputs: { chargeId: "takePayment.chargeId", shipmentId: "arrangeShipping.shipmentId" },
  cancelUntil: "arrangeShipping",
  steps: [RESERVE_STOCK, TAKE_PAYMENT, ARRANGE_SHIPPING],
};

/** Steps side by side, one of them over its agent's queue; what is rejected for good is compensated, but for a rejected payment. */
export const GRAPH: Workflow = {
  name: "job-fulfilment",
  version: 2,
  outputs: { chargeId: "takePayment.chargeId", shipmentId: "arrangeShipping.shipmentId" },
  cancelUntil: "arrangeShipping",
  policy: { ...policy, onRejected: "compensate", onExhausted: "compensate" },
  steps: [
    RESERVE_STOCK,
    { ...TAKE_PAYMENT, policy: { onRejected: "fail" } },
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
      ...ARRANGE_SHIPPING,
      after: ["takePayment", "checkFraud"],
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
};

export interface Goods extends Job {
  readonly jobId: string;
  readonly customer: { readonly id: string };
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly unitPrice: number }[];
  readonly currency: string;
  readonly paymentToken: string;
}

export function sampleJob(jobId = "job-1", changes: Partial<Goods> = {}): Goods {
  return {
    jobId,
    workflow: "job-fulfilment",
    priority: "normal",
    customer: { id: "customer-7" },
    lines: [
      { sku: "TEA-1", quantity: 2, unitPrice: 450 },
      { sku: "MUG-3", quantity: 1, unitPrice: 1250 },
    ],
    currency: "EUR",
    paymentToken: "tok_visa",
    ...changes,
  };
}

export function sampleRecord(jobId = "job-1", workflow: Workflow = CHAIN): StateRecord {
  const submission = {
    ...{ jobId, keys: {}, contentDigest: "" },
    priority: "normal",
    replyTo: "replies-shop",
    replyToSessionId: null,
    correlationId: `request-${jobId}`,
    traceparent: null,
  } as const;
  return newStateRecord(submission, workflow, NOON, after(NOON, 60_000));
}

/** Goods come back, and what can't be done is left to an operator. Its last step can't be compensated by the app. */
export const RETURNS: Workflow = {
  name: "returns",
  version: 1,
  policy,
  steps: [
    {
      ...{ name: "pickUp", agent: "shipping", operation: "pickUp", after: [], completeWithin: "PT10S" },
      compensation: { operation: "cancelPickUp", completeWithin: "PT10S" },
    },
    {
      ...{ name: "restock", agent: "inventory", operation: "restock", after: ["pickUp"], completeWithin: "PT10S" },
      compensation: { operation: "withdraw", completeWithin: "PT10S" },
    },
    {
      ...{ name: "refundPayment", agent: "payment", operation: "refundReturn", after: ["restock"] },
      ...{ completeWithin: "PT10S", compensation: "manual" },
    },
  ],
};
