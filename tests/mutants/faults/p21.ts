// P21: steps side by side.
import { faultsOf } from "../fault.ts";

const RECOVERY = "core:domain/recovery/recovery.test.ts";
const INDEPENDENT = "operations:independent-steps.test.ts";
const BESIDE = "operations:take-up-beside.test.ts";

export const P21 = faultsOf("P21", [
  [
    "A step that expired takes those beside it with it.",
    "core:domain/recovery/recovery.ts",
    "for (const { step, direction, run } of overdue) {",
    "for (const { step, direction, run } of inHand) {",
    RECOVERY,
  ],
  [
    "A record is decided on while none of its steps is overdue.",
    "core:domain/recovery/recovery.ts",
    "if (overdue.length === 0 && inHand.length + pauses.length > 0) {",
    "if (overdue.length === 0 && inHand.length + pauses.length < 0) {",
    RECOVERY,
  ],
  [
    "The pause of one step holds up those beside it.",
    "core:domain/recovery/recovery.ts",
    "const notBefore = isAlone ? undefined : until;",
    "const notBefore = undefined;",
    RECOVERY,
  ],
  [
    "A step begins before its pause is over.",
    "core:domain/record/plan.ts",
    "return notBefore <= now && !isAtWork",
    "return !isAtWork",
    INDEPENDENT,
  ],
  [
    "Time that an operator gave is lost when a step beside it ends.",
    "core:domain/record/due.ts",
    "dueAt: isExtended && goesOn && dueAt > earliest ? dueAt : earliest };",
    "dueAt: earliest };",
    "core:domain/steps/step-end.test.ts",
  ],
  [
    "Time that an operator gave is lost when a step is taken up.",
    "core:domain/steps/step-writes.ts",
    "      dueBy: scheduledUntil > completeBy ? scheduledUntil : completeBy,\n",
    "",
    "tests/contract/cosmos-order-store.test.ts -t a mark that a step was taken up",
    "contract:memory-job-store.test.ts -t a mark that a step was taken up",
  ],
  [
    "A step that is taken up beside others sets the record's time for all.",
    "core:scheduler/steps/take-up.ts",
    "if (!task.isAlone) return recordAmong(task, mark, now, ports);",
    "",
    BESIDE,
  ],
  [
    "The record of several steps is looked at when the last of them expires.",
    "core:domain/steps/transitions.ts",
    "const [expiresBy] = runs.map(expiresAt).sort();",
    "const expiresBy = runs.map(expiresAt).sort().at(-1);",
    BESIDE,
  ],
  [
    "An attempt is not told of a step that another one began.",
    "core:scheduler/steps/record-step.ts",
    "return attempt === task.attempt ? ownReceiver(task) : attempt;",
    "return attempt === task.attempt ? ownReceiver(task) : null;",
    INDEPENDENT,
  ],
]);
