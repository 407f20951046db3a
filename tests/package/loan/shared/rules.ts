// What the workflow asks of a loan: whether a person has to approve it, and which collaterals there are.
import type { Situation, WorkflowRules } from "@scheduler-agent-supervisor/core/workflows";
import type { Loan } from "./contract.ts";

export const rules = {
  conditions: {
    isRisky: ({ results }: Situation<Loan, { decide: { isRisky: boolean } }>) => results.decide?.isRisky === true,
  },
  lists: { collaterals: ({ collaterals }: Loan) => collaterals.map(({ id, kind }) => ({ id, kind })) },
} as const satisfies WorkflowRules;
