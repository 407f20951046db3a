// The business of taking goods back: pick them up, put them on the shelf, give the money back.
import type { Workflow } from "../domain/workflow.ts";

export const returns: Workflow = {
  name: "returns",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [
    {
      name: "pickUp",
      agent: "shipping",
      operation: "pickUp",
      after: [],
      completeWithin: "PT10S",
      undo: { operation: "cancelPickUp", completeWithin: "PT10S" },
    },
    {
      name: "restock",
      agent: "inventory",
      operation: "restock",
      after: ["pickUp"],
      completeWithin: "PT10S",
      undo: { operation: "withdraw", completeWithin: "PT10S" },
    },
    {
      name: "refundPayment",
      agent: "payment",
      operation: "refundReturn",
      after: ["restock"],
      completeWithin: "PT10S",
      // Money that was sent back comes again only if the customer sends it.
      undo: "byHand",
    },
  ],
};
