// The same loan as data, as the app takes it today: for the comparison in ADR 25.

import type { Workflow } from "@scheduler-agent-supervisor/core/internal/domain/definition/workflow";
import type { ReadResults } from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import type { Loan } from "./loan.ts";

interface Situation {
  readonly job: Loan;
  readonly results: ReadResults;
}

const within = { completeWithin: "PT10S", startWithin: "PT5S", compensation: "nothing" } as const;
const compensatedBy = (operation: string) => ({ compensation: { operation, completeWithin: "PT10S" } });
const member = (results: ReadResults, step: string, name: string) =>
  Number(([results[step]].flat()[0] as { readonly [name: string]: unknown } | undefined)?.[name] ?? 0);

function isWorth({ job, results }: Situation): boolean {
  const values = [results["appraise"] ?? []].flat() as readonly ({ readonly value?: number } | null)[];
  return (
    values.reduce((sum, one) => sum + (one?.value ?? 0), 0) >= job.amount && member(results, "score", "score") >= 300
  );
}

export const rules = {
  conditions: {
    needsApproval: (of: Situation) => isWorth(of) && member(of.results, "score", "score") < 600,
    isAgreed: (of: Situation) =>
      isWorth(of) && (member(of.results, "score", "score") >= 600 || of.results["approve"] !== undefined),
  },
  lists: { collaterals: ({ collaterals }: Loan) => collaterals.map((collateral) => ({ collateral })) },
};

const FIRST = ["identity", "score", "appraise"];
export const loanAsData: Workflow = {
  name: "loan",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    { name: "identity", agent: "registry", operation: "check", after: [], ...within },
    { name: "score", agent: "bureau", operation: "score", after: [], ...within },
    {
      name: "appraise",
      agent: "surveyor",
      operation: "appraise",
      after: [],
      forEach: "collaterals",
      ...within,
      ...compensatedBy("withdraw"),
    },
    {
      ...{
        name: "approve",
        agent: "desk",
        operation: "ask",
        after: FIRST,
        when: "needsApproval",
        optional: true,
        ...within,
      },
      ...{ awaitWithin: "P2D", assignee: "underwriters" },
    },
    {
      ...{
        name: "sign",
        agent: "office",
        operation: "send",
        after: ["approve"],
        when: "isAgreed",
        ...within,
        ...compensatedBy("withdraw"),
      },
      ...{ awaitWithin: "P14D", policy: { onAwaitExpired: "compensate" } },
    },
    { name: "payOut", agent: "bank", operation: "pay", after: ["sign"], needs: ["sign"], ...within },
  ],
};
