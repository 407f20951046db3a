// What the services get to know of a loan.
import type { Loan } from "../contract.ts";

export const seen = ({ loanId, applicant, amount }: Loan) => ({ loanId, applicant, amount });
/** The answer that is a service's decision about a loan. */
export const answers = [{ status: 422, means: "rejected" }] as const;
