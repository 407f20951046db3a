// The loan as code: identity beside the credit score and an appraisal of each collateral, a rule, a person, a signature within 14 days that is asked
// for twice, and a payout.
import type { StepResult } from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import { type Asked, all, type Flow, StepFailed, step } from "./workflow-as-code.ts";

export interface Loan {
  readonly amount: number;
  readonly collaterals: readonly string[];
}

const within = { completeWithin: "PT10S", startWithin: "PT5S" } as const;
const asks = (agent: string, operation: string, more: Partial<Asked> = {}): Asked => ({
  ...{ agent, operation, ...within, compensation: "nothing" },
  ...more,
});
const compensatedBy = (operation: string) => ({ compensation: { operation, completeWithin: "PT10S" } });

export function* loan({ amount, collaterals }: Loan): Flow<string> {
  const [, score, ...values] = yield* all<StepResult>([
    step("identity", asks("registry", "check")),
    step("score", asks("bureau", "score")),
    ...collaterals.map((_, at) => step(`appraise${at + 1}`, asks("surveyor", "appraise", compensatedBy("withdraw")))),
  ]);
  const worth = values.reduce((sum, { value }) => sum + Number(value), 0);
  if (worth < amount || Number(score?.["score"]) < 300) return "declined";
  if (Number(score?.["score"]) < 600) {
    try {
      yield* step("approve", asks("desk", "ask", { awaitWithin: "P2D", assignee: "underwriters" }));
    } catch (cause) {
      if (cause instanceof StepFailed) return "declined";
      throw cause;
    }
  }
  for (let round = 1; ; round += 1) {
    try {
      yield* step(`sign${round}`, asks("office", "send", { awaitWithin: "P14D", ...compensatedBy("withdraw") }));
      break;
    } catch (cause) {
      if (round === 2) throw cause;
    }
  }
  yield* step("payOut", asks("bank", "pay"));
  return "paid";
}
