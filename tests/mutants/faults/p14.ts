// P14: what goes on after a restart.
import { faultsOf } from "../fault.ts";

const INDEPENDENT = "operations:independent-steps.test.ts";
const START = "operations:start-claimed.test.ts";

export const P14 = faultsOf("P14", [
  [
    "A step that an earlier attempt began is begun a second time.",
    "core:domain/steps/attempt.ts",
    " && run.attempt === attempt.attempt;\n    if (!isToBegin",
    ";\n    if (!isToBegin",
    INDEPENDENT,
  ],
  [
    "An earlier attempt is not told that it is over.",
    "core:scheduler/scheduler-client.ts",
    "return attempt.attempt === 1 || report(client, attempt.jobId, attempt.attempt - 1, SUPERSEDED);",
    "return true;",
    START,
  ],
  [
    "An attempt that is started again does not read where its record stands.",
    "core:scheduler/scheduler-client.ts",
    "if (isBehind) await report(",
    "if (false) await report(",
    START,
  ],
  [
    "A claim that others may have overtaken counts as the newest.",
    "core:scheduler/claim-job.ts",
    "attempt: heldBy(holder, record, context), isBehind: true };",
    "attempt: heldBy(holder, record, context), isBehind: false };",
    "operations:attempts.test.ts",
  ],
  [
    "An attempt that is under way counts as one that could not be started.",
    "core:scheduler/scheduler-client.ts",
    "if (await isUnderWay(client, instanceId)) return;",
    "",
    START,
  ],
  [
    "An attempt that the engine does not take counts as started.",
    "core:scheduler/scheduler-client.ts",
    "throw new EngineUnavailable(`Could not start",
    "console.debug(`Could not start",
    START,
  ],
  [
    "Older knowledge replaces newer.",
    "core:domain/steps/attempt.ts",
    "filter(([name, record]) => isLater(record, attempt.steps[name]));",
    "filter(([name]) => name !== '');",
    "core:domain/steps/attempt.test.ts",
  ],
  [
    "A retry begins with the first step.",
    "core:domain/record/plan.ts",
    "      !isPlannedDone(planned, steps, direction) &&\n      !isInHand(",
    "      !isInHand(",
    "core:domain/recovery/recovery.test.ts",
  ],
  [
    "The timer of an attempt that goes on stays.",
    "core:scheduler/scheduler.ts",
    "if (!isTime) timer.cancel();",
    "",
    "core:scheduler/scheduler.test.ts",
  ],
  [
    "A wait of many days is one timer.",
    "core:scheduler/scheduler.ts",
    "const isCut = latest < wanted;",
    "const isCut = false;",
    "operations:polled-steps.test.ts",
  ],
  [
    "An attempt reads its record again and again without a growing pause.",
    "core:domain/steps/attempt.ts",
    "FIRST_LOOK_MS * 2 ** looks);",
    "FIRST_LOOK_MS);",
    "core:domain/steps/attempt.test.ts",
  ],
]);
