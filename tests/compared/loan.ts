// The loan that is written three times: what a client sends, the same for each.
import { z } from "zod";

export const collateral = z.object({ id: z.string(), kind: z.string() });
export const loanMembers = {
  applicant: z.string().min(1),
  amount: z.int().positive(),
  collaterals: z.array(collateral).min(1).max(20),
};

/** Above it nobody needs to be asked, and below the other nobody is. */
export const SURE_FROM = 600;
export const DECLINED_BELOW = 300;
