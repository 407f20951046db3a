// The rule that decides: a loan that its collaterals do not cover is declined, and one whose score is low is a person's decision.
import { reject, rule } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { seen } from "./seen.ts";

/** Above it nobody needs to be asked, and below the other nobody is. */
export const SURE_FROM = 600;
export const DECLINED_BELOW = 300;

export const decision = rule({
  name: "decision",
  sees: seen,
  reads: { score: z.object({ score: z.int() }), appraise: z.array(z.object({ value: z.int() })) },
  result: z.object({ isRisky: z.boolean() }),
  run: ({ job, results: { score, appraise = [] } }) => {
    const worth = appraise.reduce((sum, { value }) => sum + value, 0);
    if (!score || score.score < DECLINED_BELOW || worth < job.amount) return reject("declined");
    return { isRisky: score.score < SURE_FROM };
  },
});
