// The workflow of the smoke test: an order goes all the way, and nothing is done for it anywhere.
import { defineWorkflow } from "../define-workflow.ts";

export const smoke = defineWorkflow({
  name: "smoke",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [
    {
      name: "nothing",
      agent: "smoke",
      operation: "nothing",
      after: [],
      completeWithin: "PT10S",
      compensation: "nothing",
    },
  ],
});
