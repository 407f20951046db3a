// Opens an account, and sends a welcome. A registration that began with a version ends with it: add the next one below.
import { defineWorkflow } from "../define-workflow.ts";

const first = defineWorkflow({
  name: "registration",
  version: 1,
  policy: { failureThreshold: 3, waits: ["PT1M"], onExhausted: "compensate", onRejected: "compensate" },
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
