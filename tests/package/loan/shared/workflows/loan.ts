// A loan in fourteen steps: five checks side by side, a rule, a person, money that is reserved, a contract to be signed, and a payout.
import { defineWorkflow } from "../define-workflow.ts";

const within = { completeWithin: "PT10S" } as const;
const plain = { ...within, compensation: "nothing" } as const;
const takenBack = <const Operation extends string>(operation: Operation) =>
  ({ ...within, compensation: { operation, ...within } }) as const;
const CHECKS = ["identity", "score", "income", "sanctions", "appraise"] as const;

const first = defineWorkflow({
  name: "loan",
  version: 1,
  policy: { failureThreshold: 3, waits: ["PT1M"], onExhausted: "compensate", onRejected: "compensate" },
  deadline: { completeWithin: "P60D", onExpired: "compensate" },
  outputs: { payout: "payOut.payoutId" },
  steps: [
    { name: "identity", agent: "registry", operation: "identity", after: [], ...plain },
    { name: "score", agent: "bureau", operation: "score", transport: "queue", after: [], ...plain },
    { name: "income", agent: "registry", operation: "income", after: [], ...plain },
    { name: "sanctions", agent: "registry", operation: "sanctions", after: [], ...plain },
    {
      ...{ name: "appraise", agent: "surveyor", operation: "appraise", after: [], forEach: "collaterals" },
      ...takenBack("withdraw"),
    },
    { name: "decide", agent: "decision", operation: "decide", after: CHECKS, ...plain },
    {
      ...{ name: "approve", agent: "office", operation: "approve", after: ["decide"], when: "isRisky", ...plain },
      ...{ awaitWithin: "P2D", assignee: "underwriters" },
    },
    { name: "reserve", agent: "bank", operation: "reserve", after: ["approve"], ...takenBack("release") },
    { name: "insure", agent: "bank", operation: "insure", after: ["approve"], ...takenBack("uninsure") },
    { name: "draft", agent: "office", operation: "draft", after: ["reserve", "insure"], ...takenBack("discard") },
    {
      ...{ name: "sign", agent: "office", operation: "sign", after: ["draft"], ...takenBack("cancel") },
      ...{ awaitWithin: "P14D", policy: { onAwaitExpired: "compensate" } },
    },
    { name: "register", agent: "office", operation: "register", after: ["sign"], ...takenBack("deregister") },
    { name: "payOut", agent: "bank", operation: "pay", after: ["register"], ...within, compensation: "manual" },
    { name: "inform", agent: "office", operation: "inform", after: ["payOut"], ...plain, optional: true },
  ],
});

export const loans = [first];
