// P5: the steps that can begin.
import { faultsOf } from "../fault.ts";

const WORKFLOW = "shared/domain/workflow.test.ts";

export const P5 = faultsOf("P5", [
  [
    "A step begins when one of those before it is done.",
    "core:domain/record/plan.ts",
    "!isAtWork && after.every(",
    "!isAtWork && [...after, ''].some(",
    "operations:independent-steps.test.ts",
  ],
  [
    "A level of more steps than a write has changes is written at once.",
    "core:domain/steps/attempt.ts",
    "if (!isJoin || next.length > MOST_NEXT) return null;",
    "if (!isJoin) return null;",
    "operations:independent-steps.test.ts -t as wide",
  ],
  [
    "A step that waits for only some of its level begins with the others.",
    "core:domain/steps/attempt.ts",
    "if (!isJoin || next.length > MOST_NEXT) return null;",
    "if (next.length > MOST_NEXT) return null;",
    "operations:independent-steps.test.ts",
  ],
  [
    "A circle of steps is found by nobody.",
    "core:domain/workflows/workflow-faults.ts",
    "if (faults.length === 0) faults.push(...graphFaults(workflow, where));",
    "",
    WORKFLOW,
  ],
  [
    "Two steps may have one name.",
    "core:domain/workflows/workflow-faults.ts",
    "if (new Set(names).size < names.length)",
    "if (new Set(names).size < 0)",
    WORKFLOW,
  ],
  [
    "A step may come after one that is not there.",
    "core:domain/workflows/workflow-faults.ts",
    "if (!names.includes(name)) faults.push(`${at}: comes after",
    "if (names.length === 0) faults.push(`${at}: comes after",
    WORKFLOW,
  ],
  [
    "A step may take longer than the host's limit.",
    "core:domain/workflows/workflow-faults.ts",
    "if (ms <= LONGEST_STEP_MS) return [];",
    "if (ms > 0) return [];",
    WORKFLOW,
  ],
  [
    "A step of an attempt is begun a second time.",
    "core:domain/steps/attempt.ts",
    "if (!isToBegin || begun.has(runKey({ step: planned.name, direction }))) return [];",
    "if (!isToBegin) return [];",
    "core:domain/steps/attempt.test.ts",
  ],
  [
    "An activity goes on with a step that could outlast the host's limit.",
    "core:scheduler/steps/run-steps.ts",
    "if (!next || latestEndOf(next) > latest || now() - startedAt > GOES_ON_MS) return end;",
    "if (!next || now() - startedAt > GOES_ON_MS) return end;",
    "operations:in-one-activity.test.ts",
  ],
  [
    "An activity keeps its place from other jobs as long as its job has steps.",
    "core:scheduler/steps/run-steps.ts",
    " || now() - startedAt > GOES_ON_MS) return end;",
    ") return end;",
    "operations:in-one-activity.test.ts",
  ],
  [
    "An activity goes on with the next step, whatever else can begin.",
    "core:domain/steps/attempt.ts",
    "next.direction === direction && others.length === 0 ?",
    "next.direction === direction ?",
    "operations:in-one-activity.test.ts",
  ],
]);
