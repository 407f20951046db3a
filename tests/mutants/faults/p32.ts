// P32: outcomes that a person records.
import { faultsOf } from "../fault.ts";

const NOT_REPEATED = "operations:not-repeated.test.ts";
const OUTCOME = "core:domain/operator/record-outcome.ts";

export const P32 = faultsOf("P32", [
  [
    "An outcome is recorded of a step whose outcome is known.",
    OUTCOME,
    'if (!(direction === "forward" ? outcomeIsUnknown(step) : isCompensationUnknown(step)))',
    "if (!step.state)",
    NOT_REPEATED,
  ],
  [
    "An outcome is recorded while an agent may be at work.",
    OUTCOME,
    "return until >= overdueBefore ?",
    "return until === '' && overdueBefore === '' ?",
    NOT_REPEATED,
  ],
  [
    "A claim overwrites what a person recorded since it read.",
    "core:scheduler/claim-job.ts",
    " && !isAnyUnknown(steps)) return",
    ") return",
    NOT_REPEATED,
  ],
  [
    "A step that was recorded as not done counts as of unknown outcome.",
    OUTCOME,
    "  outcomeUnknown: false,\n",
    "  outcomeUnknown: true,\n",
    NOT_REPEATED,
  ],
  [
    "The result that a person recorded is lost.",
    OUTCOME,
    "compensation: null }, attempt, direction, result, route, now);",
    "compensation: null }, attempt, direction, {}, route, now);",
    NOT_REPEATED,
  ],
  [
    "A person records a result that its agent does not declare.",
    "core:scheduler/operating/outcome-request.ts",
    'return checked.kind === "misfit" ? checked :',
    "return",
    NOT_REPEATED,
  ],
  [
    "A recorded outcome does not say who recorded it.",
    OUTCOME,
    "because: `recorded by ${by}: ${reason}` };",
    "because: reason };",
    NOT_REPEATED,
  ],
  [
    "A job whose outcome was recorded does not go on.",
    OUTCOME,
    'if (onward.kind === "allowed") return onward;',
    "",
    NOT_REPEATED,
  ],
]);
