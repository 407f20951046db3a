// P11: pauses, budgets and verdicts.
import { faultsOf } from "../fault.ts";

const RECOVERY = "core:domain/recovery/recovery.test.ts";
const BUDGETS = "core:domain/steps/failure-budget.test.ts";
const SWEEP = "operations:sweep.test.ts";
const DECISION = "core:domain/recovery/recovery.ts";
const RECOVER_JOB = "core:supervisor/recover-job.ts";

export const P11 = faultsOf("P11", [
  [
    "A job may fail once more than its most failures.",
    DECISION,
    "if (failuresOf(counted) + 1 >= (policy.mostFailures",
    "if (failuresOf(counted) >= (policy.mostFailures",
    RECOVERY,
  ],
  [
    "The first pause is left out.",
    DECISION,
    "policy.waits[failures - policy.failureThreshold]",
    "policy.waits[failures - policy.failureThreshold + 1]",
    RECOVERY,
  ],
  [
    "A job that waits is due before its pause is over.",
    DECISION,
    "const claimBy = after(notBefore === undefined ? (until ?? now) : now, claimWithinMs);",
    "const claimBy = after(now, claimWithinMs);",
    RECOVERY,
  ],
  [
    "The least grave of two verdicts decides.",
    DECISION,
    "return KINDS.indexOf(one.kind) > KINDS.indexOf(other.kind);",
    "return KINDS.indexOf(one.kind) < KINDS.indexOf(other.kind);",
    RECOVERY,
  ],
  [
    "What one step failed counts against the next.",
    DECISION,
    "policyOf(step), { direction, run }), direction);",
    "policyOf(step), { direction, run: record }), direction);",
    RECOVERY,
    SWEEP,
  ],
  [
    "A failed compensation is compensated in turn.",
    DECISION,
    'run === "forward" ? policy.onExhausted : step === null ? "fail" : "skip";',
    "policy.onExhausted;",
    RECOVERY,
  ],
  [
    "What a job used up forward limits its compensation.",
    DECISION,
    'if (direction === "forward") return failureCount;\n  return Object.values(steps)',
    "if (direction) return failureCount;\n  return Object.values(steps)",
    RECOVERY,
  ],
  [
    "A compensation that has its own budget uses that of its step.",
    "core:domain/steps/failure-budget.ts",
    "return { ...policy, ...policy.compensation };",
    "return policy;",
    BUDGETS,
  ],
  [
    "An expired wait counts against the requests of its step too.",
    "core:domain/steps/failure-budget.ts",
    "failuresBefore: failureCount - expiredWaits }",
    "failuresBefore: failureCount }",
    BUDGETS,
  ],
  [
    "An expired wait is not counted as one.",
    "core:domain/steps/step-run.ts",
    "(run.expiredWaits ?? 0) + 1",
    "run.expiredWaits ?? 0",
    BUDGETS,
  ],
  [
    "What others failed on their way forward limits the compensation of a skipped step.",
    DECISION,
    "const counted = policy.own ? { ...record, direction: run } : record;",
    "const counted = record;",
    BUDGETS,
  ],
  [
    "An attempt after a pause is started at once.",
    RECOVER_JOB,
    "at === undefined ? {} : { at }",
    "{}",
    "operations:independent-steps.test.ts",
  ],
  [
    "A step's own policy is not applied.",
    "core:domain/definition/workflow.ts",
    "{ ...workflow.policy, ...step?.policy };",
    "{ ...workflow.policy };",
    "shared/domain/workflow.test.ts",
  ],
]);
