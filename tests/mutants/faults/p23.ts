// P23: steps that may be skipped, and steps for each item.
import { faultsOf } from "../fault.ts";

const SKIPPED = "operations:skipped-steps.test.ts";
const FOR_EACH = "operations:for-each.test.ts";

export const P23 = faultsOf("P23", [
  [
    "A step is done that needs a skipped one.",
    "core:domain/skip.ts",
    "const lacking = step.needs?.find((name) => !isProvided(name, named, steps));",
    "const lacking = step.needs?.find((name) => name === '');",
    SKIPPED,
  ],
  [
    "A fallback is done beside its step.",
    "core:domain/skip.ts",
    'if (first && cause !== "rejected" && cause !== "expired") {',
    'if (first && cause === "needs") {',
    SKIPPED,
  ],
  [
    "A fallback does not provide what another step needs.",
    "core:domain/skip.ts",
    "return [name, ...fallbacksOf(name, named)].some(",
    "return [name].some(",
    SKIPPED,
  ],
  [
    "A rejected optional step fails its job.",
    "core:domain/step-end.ts",
    'if (onRejected === "skip") {',
    'if (onRejected === "") {',
    SKIPPED,
  ],
  [
    "An optional step whose tries are used up fails its job.",
    "core:domain/workflow.ts",
    "const isSkipped = step?.optional === true || step?.otherwise !== undefined;",
    "const isSkipped = step?.otherwise !== undefined;",
    SKIPPED,
  ],
  [
    "What a skipped step may have left behind is not compensated.",
    "core:domain/plan.ts",
    "const isSkippedByFault = step.optional === true || step.otherwise !== undefined;",
    "const isSkippedByFault = false;",
    SKIPPED,
  ],
  [
    "A step is done whose condition does not hold.",
    "core:scheduler/begin-step.ts",
    "return decided.holds\n",
    "return decided.holds || decided.condition\n",
    SKIPPED,
  ],
  [
    "A list may have any number of items.",
    "core:domain/workflow-rules.ts",
    "if (items.length > MOST_ITEMS)\n    throw",
    "if (items.length < 0) throw",
    FOR_EACH,
  ],
  [
    "The items of a list may have any size.",
    "core:domain/workflow-rules.ts",
    "if (bytes > MOST_ITEM_BYTES)",
    "if (bytes < 0)",
    FOR_EACH,
  ],
  [
    "An edit changes the item of a run that is done.",
    "core:domain/edited-items.ts",
    "if (!isSame && !mayChange(old, step)) faults.push(",
    "if (!isSame && !old) faults.push(",
    FOR_EACH,
  ],
  [
    "Another sequence of the items changes their runs.",
    "core:domain/edited-items.ts",
    "if (items.length !== recorded.length) return items;",
    "return items;",
    FOR_EACH,
  ],
  [
    "A skipped step is waited for.",
    "core:domain/plan.ts",
    'state === (direction === "compensate" ? "Failed" : "Skipped");',
    'state === (direction === "compensate" ? "Failed" : "");',
    SKIPPED,
  ],
  [
    "A condition is decided again by each run of a task.",
    "core:scheduler/begin-step.ts",
    "found = own?.decided;",
    "found = undefined;",
    "operations:decided-once.test.ts",
  ],
  [
    "That a condition does not hold is not recorded before it has an effect.",
    "core:scheduler/begin-step.ts",
    "return withDecision(record, task.step, found);",
    "return found.holds ? withDecision(record, task.step, found) : undefined;",
    "operations:decided-once.test.ts",
  ],
  [
    "A run of an attempt that is over decides a condition.",
    "core:scheduler/begin-step.ts",
    "if (!own || found || !awaits(record, task)) return undefined;",
    "if (!own || found) return undefined;",
    "operations:decided-once.test.ts",
  ],
  [
    "A run that decided nothing does its step.",
    "core:scheduler/begin-step.ts",
    'if (!decided) return { kind: "superseded", task };',
    'if (!decided) return { kind: "begun", task, item };',
    "operations:decided-once.test.ts",
  ],
]);
