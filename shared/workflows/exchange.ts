// The business of an exchange: pick the goods up, put them on the shelf, and send others by an order of their own.
import type { RecoveryPolicy } from "@scheduler-agent-supervisor/core/workflows";
import { defineWorkflow } from "../define-workflow.ts";

const policy: RecoveryPolicy = {
  failureThreshold: 3,
  waits: ["PT1M", "PT5M", "PT30M"],
  onExhausted: "fail",
  onRejected: "compensate",
};

export const exchange = defineWorkflow({
  name: "exchange",
  version: 1,
  policy,
  outputs: { replacement: "sendReplacement.orderId" },
  steps: [
    {
      name: "pickUp",
      agent: "shipping",
      operation: "pickUp",
      after: [],
      completeWithin: "PT10S",
      compensation: { operation: "cancelPickUp", completeWithin: "PT10S" },
    },
    {
      name: "restock",
      agent: "inventory",
      operation: "restock",
      after: ["pickUp"],
      completeWithin: "PT10S",
      compensation: { operation: "withdraw", completeWithin: "PT10S" },
    },
    {
      name: "sendReplacement",
      agent: "replacement",
      operation: "send",
      after: ["pickUp"],
      completeWithin: "PT20S",
      awaitWithin: "P7D",
      compensation: { operation: "cancel", completeWithin: "PT20S", awaitWithin: "P7D" },
    },
  ],
});
