// A loan in fourteen steps: five checks side by side, a rule, a person, money that is reserved, a contract to be signed, and a payout.
import { defineAgent, idAs, rule } from "@scheduler-agent-supervisor/core/agents";
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/contracts";
import { type Situation, type WorkflowRules, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { z } from "zod";

interface Loan extends Job {
  readonly jobId: string;
  readonly amount: number;
  readonly collaterals: readonly string[];
}

const contract = defineContract<Loan>({
  schema: z.strictObject({ ...jobMembers("loan"), jobId, amount: z.number(), collaterals: z.array(z.string()) }),
  ...{ secrets: [], keys: [], keysOf: () => ({}) },
});
const contracts = { usual: contract, usualWorkflow: "loan", of: {} };

const seen = ({ jobId: id, amount }: Loan) => ({ jobId: id, amount });
const made = idAs("id");
const asks = (path: string) => () => ({ path, body: {} });
const later = (path: string) => () => ({ path, body: {}, mayBeDoneLater: true });
const service = (setting: string, port: number) => ({
  setting: `${setting}Endpoints`,
  local: `http://127.0.0.1:${port}`,
});

const checks = defineAgent({
  name: "checks",
  ...{ service: service("Checks", 7201), seen },
  results: { identity: made, income: made, sanctions: made, appraise: made, withdraw: made },
  operations: {
    identity: asks("identities"),
    income: asks("incomes"),
    sanctions: asks("sanctions"),
    appraise: asks("appraisals"),
    withdraw: asks("withdrawals"),
  },
});
const bureau = defineAgent({
  name: "bureau",
  ...{ service: service("Bureau", 7202), seen },
  results: { score: z.object({ score: z.number() }) },
  operations: { score: asks("scores") },
});
const office = defineAgent({
  name: "office",
  ...{ service: service("Office", 7203), seen },
  results: {
    approve: made,
    draft: made,
    discard: made,
    sign: made,
    cancel: made,
    register: made,
    deregister: made,
    inform: made,
  },
  operations: {
    approve: later("approvals"),
    draft: asks("drafts"),
    discard: asks("discards"),
    sign: later("signatures"),
    cancel: asks("cancellations"),
    register: asks("liens"),
    deregister: asks("deregistrations"),
    inform: asks("letters"),
  },
});
const bank = defineAgent({
  name: "bank",
  ...{ service: service("Bank", 7204), seen },
  results: { reserve: made, release: made, insure: made, uninsure: made, pay: made },
  operations: {
    reserve: asks("reservations"),
    release: asks("releases"),
    insure: asks("policies"),
    uninsure: asks("cancellations"),
    pay: asks("payments"),
  },
});
const decider = rule({
  name: "decider",
  sees: seen,
  reads: { score: z.object({ score: z.number() }) },
  result: z.object({ isRisky: z.boolean() }),
  run: ({ results: { score } }) => ({ isRisky: (score?.score ?? 0) < 600 }),
});
const agents = [checks, bureau, office, bank, decider] as const;

const rules = {
  conditions: {
    isRisky: ({ results }: Situation<Loan, { decide: { isRisky: boolean } }>) => results.decide?.isRisky === true,
  },
  lists: { collaterals: ({ collaterals }: Loan) => collaterals.map((collateral) => ({ collateral })) },
} as const satisfies WorkflowRules;

const within = { completeWithin: "PT10S" } as const;
const plain = { ...within, compensation: "nothing" } as const;
const takenBack = <const Operation extends string>(operation: Operation) =>
  ({ ...within, compensation: { operation, ...within } }) as const;
const CHECKS = ["identity", "score", "income", "sanctions", "appraise"] as const;

const loan = workflowsOf(
  agents,
  rules,
  contracts,
)({
  name: "loan",
  version: 1,
  policy: { failureThreshold: 3, waits: ["PT1M"], onExhausted: "compensate", onRejected: "compensate" },
  deadline: { completeWithin: "P60D", onExpired: "compensate" },
  steps: [
    { name: "identity", agent: "checks", operation: "identity", after: [], ...plain },
    { name: "score", agent: "bureau", operation: "score", transport: "queue", after: [], ...plain },
    { name: "income", agent: "checks", operation: "income", after: [], ...plain },
    { name: "sanctions", agent: "checks", operation: "sanctions", after: [], ...plain },
    {
      ...{ name: "appraise", agent: "checks", operation: "appraise", after: [], forEach: "collaterals" },
      ...takenBack("withdraw"),
    },
    { name: "decide", agent: "decider", operation: "decide", after: CHECKS, ...plain },
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

export const loans = defineApp({ contracts, agents, workflows: [loan], rules });
