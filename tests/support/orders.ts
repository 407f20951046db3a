// The sample's orders and workflows to test with, beside what the core's tests have.

import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { sampleRecord as coreRecord } from "../../packages/core/tests/jobs.ts";
import type { Order } from "../../shared/contracts/order.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { trips } from "../../shared/workflows/trip.ts";

export { NOON, NOON_MS, SCHEDULING } from "../../packages/core/tests/jobs.ts";

/** Versions 1 and 3 of the workflow, by what they look like: the suites run these, whatever versions come after. */
export const [CHAIN, , GRAPH] = orderFulfilment as readonly [Workflow, Workflow, Workflow];

/** One step after the other, under a name of its own beside the graph: what a short order costs, and how many fit into a burst. */
export const THREE_STEPS: Workflow = { ...CHAIN, name: "three-steps" };

const TRIP: Workflow = trips[0];

/** The trip with a car rental that has one try of three seconds. */
export const HASTY_TRIP: Workflow = {
  ...TRIP,
  name: "hasty-trip",
  steps: TRIP.steps.map((step) => {
    if (step.name === "approveTrip") return { ...step, awaitWithin: "PT1M" };
    if (step.name !== "rentCar") return step;
    return { ...step, completeWithin: "PT3S", policy: { ...step.policy, failureThreshold: 1, waits: [] } };
  }),
};

/** A workflow with times that a test can wait for: what is tried twice in vain is exhausted. */
export function hasty(workflow: Workflow): Workflow {
  const completeWithin = "PT3S";
  return {
    ...workflow,
    policy: { ...workflow.policy, failureThreshold: 2, waits: [] },
    steps: workflow.steps.map(({ compensation, ...step }) => ({
      ...step,
      completeWithin,
      compensation: typeof compensation === "string" ? compensation : { ...compensation, completeWithin },
    })),
  };
}

export function sampleRecord(orderId = "order-1", workflow: Workflow = CHAIN): StateRecord {
  return coreRecord(orderId, workflow);
}

export function sampleOrder(orderId = "order-1", changes: Partial<Order> = {}): Order {
  return {
    orderId,
    workflow: "order-fulfilment",
    priority: "normal",
    customer: { id: "customer-7" },
    lines: [
      { sku: "TEA-1", quantity: 2, unitPrice: 450 },
      { sku: "MUG-3", quantity: 1, unitPrice: 1250 },
    ],
    currency: "EUR",
    paymentToken: "tok_visa",
    shipTo: { name: "Ada", street: "1 Analytical Way", city: "London", postalCode: "N1 1AA", country: "GB" },
    ...changes,
  };
}

/** A carrier that collects within ten minutes; whoever ordered is notified of the shipment. */
export const CARRIER: Workflow = {
  name: "carrier",
  version: 1,
  policy: GRAPH.policy,
  outputs: { shipmentId: "arrangeShipping.shipmentId" },
  steps: [
    {
      ...{ name: "arrangeShipping", agent: "shipping", operation: "arrange", after: [] },
      ...{ completeWithin: "PT10S", awaitWithin: "PT10M" },
      compensation: { operation: "cancel", completeWithin: "PT10S" },
    },
  ],
};
