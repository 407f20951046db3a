// What a client sends: a loan, and the collaterals for it.
import { type Contracts, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { z } from "zod";

export interface Loan extends Job {
  readonly loanId: string;
  readonly applicant: string;
  readonly amount: number;
  readonly collaterals: readonly { readonly id: string; readonly kind: string }[];
}

export const collateral = z.object({ id: z.string(), kind: z.string() });
export const loanMembers = {
  applicant: z.string().min(1),
  amount: z.int().positive(),
  collaterals: z.array(collateral).min(1).max(20),
};

const loan = defineContract<Loan>({
  idName: "loanId",
  schema: z.strictObject({ loanId: jobId, ...jobMembers("loan"), ...loanMembers }),
  secrets: [],
  keys: ["applicant"],
  keysOf: ({ applicant }) => ({ applicant }),
});

export const contracts = { usual: loan, usualWorkflow: "loan", of: {} } satisfies Contracts;
