// The loan with this project: a contract, agents, a rule and a workflow. Retries, compensation, reports, status messages and an operator's ways come with it.
import {
  defineAgent,
  idAs,
  reject,
  rule,
  serviceId,
  statusAs,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents";
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import {
  type Contracts,
  defineContract,
  type Job,
  jobId,
  jobMembers,
} from "@scheduler-agent-supervisor/core/contracts";
import { type Situation, type WorkflowRules, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { z } from "zod";
import { DECLINED_BELOW, loanMembers, SURE_FROM } from "./loan.ts";

interface Loan extends Job {
  readonly jobId: string;
  readonly applicant: string;
  readonly amount: number;
  readonly collaterals: readonly { readonly id: string; readonly kind: string }[];
}

const contract = defineContract<Loan>({
  schema: z.strictObject({ jobId, ...jobMembers("loan"), ...loanMembers }),
  secrets: [],
  keys: ["applicant"],
  keysOf: ({ applicant }) => ({ applicant }),
});
const contracts = { usual: contract, usualWorkflow: "loan", of: {} } satisfies Contracts;

const service = (name: string, port: number) => ({ setting: `${name}Endpoints`, local: `http://127.0.0.1:${port}` });
const answers = [{ status: 422, means: "rejected" }] as const;

const registry = defineAgent({
  ...{ name: "registry", service: service("Registry", 7180), answers },
  seen: ({ jobId: id, applicant }: Loan) => ({ jobId: id, applicant }),
  results: { check: idAs("checkId") },
  operations: { check: ({ job }) => ({ path: "checks", body: job }) },
});
const bureau = defineAgent({
  ...{ name: "bureau", service: service("Bureau", 7181), answers },
  seen: ({ jobId: id, applicant }: Loan) => ({ jobId: id, applicant }),
  results: { score: z.object({ score: z.int() }) },
  operations: { score: ({ job }) => ({ path: "scores", body: job }) },
});
const surveyor = defineAgent({
  ...{ name: "surveyor", service: service("Surveyor", 7182), answers },
  seen: ({ jobId: id, collaterals }: Loan) => ({ jobId: id, collaterals }),
  results: { appraise: z.object({ id: serviceId, value: z.int() }), withdraw: statusAs("status") },
  operations: {
    appraise: ({ job, item }) => ({ path: "appraisals", body: { jobId: job.jobId, ...item } }),
    withdraw: (call) => ({ path: `appraisals/${whatToCompensate(call, "id")}/withdraw`, body: {} }),
  },
});
const desk = defineAgent({
  ...{ name: "desk", service: service("Desk", 7183), answers },
  seen: ({ jobId: id, applicant, amount }: Loan) => ({ jobId: id, applicant, amount }),
  results: { ask: idAs("approvalId") },
  operations: {
    ask: ({ job, completion }) => ({
      path: "questions",
      body: { ...job, reportTo: completion?.url },
      mayBeDoneLater: true,
    }),
  },
});
const office = defineAgent({
  ...{ name: "office", service: service("Office", 7184), answers },
  seen: ({ jobId: id, applicant, amount }: Loan) => ({ jobId: id, applicant, amount }),
  results: { send: idAs("contractId"), withdraw: statusAs("status") },
  operations: {
    send: ({ job, completion }) => ({
      path: "contracts",
      body: { ...job, reportTo: completion?.url },
      mayBeDoneLater: true,
    }),
    withdraw: (call) => ({ path: `contracts/${whatToCompensate(call, "contractId")}/withdraw`, body: {} }),
  },
});
const bank = defineAgent({
  ...{ name: "bank", service: service("Bank", 7185), answers },
  seen: ({ jobId: id, applicant, amount }: Loan) => ({ jobId: id, applicant, amount }),
  results: { pay: idAs("payoutId") },
  operations: { pay: ({ job }) => ({ path: "payouts", body: job }) },
  policies: { pay: { atMostOnce: true } },
});

const decision = rule({
  name: "decision",
  sees: ({ amount }: Loan) => ({ amount }),
  reads: { score: z.object({ score: z.int() }), appraise: z.array(z.object({ value: z.int() })) },
  result: z.object({ isSure: z.boolean() }),
  run: ({ job, results: { score, appraise = [] } }) => {
    const worth = appraise.reduce((sum, { value }) => sum + value, 0);
    if (!score || score.score < DECLINED_BELOW || worth < job.amount) return reject("declined");
    return { isSure: score.score >= SURE_FROM };
  },
});

const agents = [registry, bureau, surveyor, desk, office, bank, decision] as const;
const rules = {
  conditions: {
    needsApproval: ({ results }: Situation<Loan, { decide: { isSure: boolean } }>) => results.decide?.isSure === false,
  },
  lists: { collaterals: ({ collaterals }: Loan) => collaterals.map(({ id, kind }) => ({ id, kind })) },
} as const satisfies WorkflowRules;

const within = { completeWithin: "PT10S" } as const;
const nothing = { compensation: "nothing" } as const;
const withdrawn = { compensation: { operation: "withdraw", completeWithin: "PT10S" } } as const;
const loan = workflowsOf(
  agents,
  rules,
  contracts,
)({
  name: "loan",
  version: 1,
  policy: {
    failureThreshold: 3,
    waits: ["PT1M"],
    onExhausted: "compensate",
    onRejected: "compensate",
    onAwaitExpired: "compensate",
  },
  outputs: { payout: "payOut.payoutId" },
  cancelUntil: "payOut",
  steps: [
    { name: "identity", agent: "registry", operation: "check", after: [], ...within, ...nothing },
    { name: "score", agent: "bureau", operation: "score", after: [], ...within, ...nothing },
    {
      name: "appraise",
      agent: "surveyor",
      operation: "appraise",
      after: [],
      forEach: "collaterals",
      ...within,
      ...withdrawn,
    },
    {
      name: "decide",
      agent: "decision",
      operation: "decide",
      after: ["identity", "score", "appraise"],
      ...within,
      ...nothing,
    },
    {
      name: "approve",
      agent: "desk",
      operation: "ask",
      after: ["decide"],
      when: "needsApproval",
      awaitWithin: "P2D",
      ...within,
      ...nothing,
    },
    {
      name: "sign",
      agent: "office",
      operation: "send",
      after: ["approve"],
      awaitWithin: "P14D",
      ...within,
      ...withdrawn,
    },
    { name: "payOut", agent: "bank", operation: "pay", after: ["sign"], ...within, ...nothing },
  ],
});

export const business = defineApp({ contracts, agents, workflows: [loan], rules });
