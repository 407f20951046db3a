// P25: results for the requester.
import { faultsOf } from "../fault.ts";

const OUTPUTS = "core:domain/steps/outputs.test.ts";
const SKIPPED = "operations:skipped-steps.test.ts";

export const P25 = faultsOf("P25", [
  [
    "The last status has no outputs.",
    "core:domain/steps/outputs.ts",
    'new Set(["StepCompleted", "Completed"])',
    'new Set(["StepCompleted"])',
    OUTPUTS,
  ],
  [
    "A step's status has the outputs of all steps.",
    "core:domain/steps/outputs.ts",
    " || (only !== undefined && provider !== only)) return [];",
    ") return [];",
    OUTPUTS,
  ],
  [
    "A requester gets no result of a fallback.",
    "core:domain/steps/outputs.ts",
    "[source.step, ...fallbacksOf(source.step, named)].find(",
    "[source.step].find(",
    SKIPPED,
  ],
  [
    "An output may name a step that is not there.",
    "core:domain/workflows/workflow-faults.ts",
    "...outputFaults(workflow, where)];",
    "];",
    "core:domain/workflows/workflow-shapes.test.ts",
  ],
]);
