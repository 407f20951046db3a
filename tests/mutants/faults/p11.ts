// P11: pauses, budgets and verdicts.
import { faultsOf } from "../fault.ts";

const RECOVERY = "core:domain/recovery.test.ts";
const SWEEP = "operations:sweep.test.ts";
const DECISION = "core:domain/recovery.ts";

export const P11 = faultsOf("P11", [
  [
    "A job may fail once more than its most failures.",
    DECISION,
    "if (failuresOf(record) + 1 >= (policy.mostFailures",
    "if (failuresOf(record) >= (policy.mostFailures",
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
    "decideFailed(record, step, run.failureCount ?? 0,",
    "decideFailed(record, step, record.failureCount,",
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
    "An attempt after a pause is started at once.",
    "core:scheduler/publish.ts",
    "at === undefined ? {} : { at }",
    "{}",
    "operations:independent-steps.test.ts",
  ],
  [
    "A step's own policy is not applied.",
    "core:domain/workflow.ts",
    "    ...step?.policy,\n",
    "",
    "shared/domain/workflow.test.ts",
  ],
]);
