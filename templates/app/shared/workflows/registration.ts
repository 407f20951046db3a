// Opens an account, and sends a welcome. A registration that began with a version ends with it: add the next one below.
import { defineWorkflow } from "../define-workflow.ts";

const first = defineWorkflow({
  name: "registration",
  version: 1,
  // A service that is away is waited for, and then an operator resubmits; what a service rejects is compensated.
  policy: { failureThreshold: 3, waits: ["PT1M", "PT5M", "PT30M"], onExhausted: "fail", onRejected: "compensate" },
  outputs: { account: "openAccount.accountId" },
  steps: [
    {
      name: "openAccount",
      agent: "accounts",
      operation: "open",
      after: [],
      completeWithin: "PT10S",
      compensation: { operation: "close", completeWithin: "PT10S" },
    },
    {
      name: "sendWelcome",
      agent: "mail",
      operation: "welcome",
      after: ["openAccount"],
      completeWithin: "PT10S",
      compensation: "nothing",
    },
  ],
});

export const registrations = [first];
