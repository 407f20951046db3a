// The business of fulfilling an order: reserve stock, take payment, arrange shipping.
import type { Workflow } from "../domain/workflow.ts";

export const orderFulfilment: Workflow = {
  name: "order-fulfilment",
  version: 1,
  steps: [
    { name: "reserveStock", agent: "inventory", after: [], completeWithin: "PT10S" },
    { name: "takePayment", agent: "payment", after: ["reserveStock"], completeWithin: "PT10S" },
    { name: "arrangeShipping", agent: "shipping", after: ["takePayment"], completeWithin: "PT10S" },
  ],
  policy: { failureThreshold: 3 },
};
