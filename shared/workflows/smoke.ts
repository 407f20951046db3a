// The workflow of the smoke test: an order goes all the way, and nothing is done for it anywhere.
import type { Workflow } from "@scheduler-agent-supervisor/core/domain/workflow";

export const smoke: Workflow = {
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
};
