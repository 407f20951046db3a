// P17: steps that run twice.
import { faultsOf } from "../fault.ts";

const ATTEMPTS = "operations:attempts.test.ts";

export const P17 = faultsOf("P17", [
  [
    "A step run again after its write is late.",
    "core:scheduler/steps/record-step.ts",
    "(await writeStepEnd(task, answer, context)) ?? (await findStepEnd(task, context));",
    "await writeStepEnd(task, answer, context);",
    ATTEMPTS,
  ],
  [
    "The end of another run counts as this one's.",
    "core:domain/steps/step-end.ts",
    "if (run?.attempt !== attempt || !(isFailed || isClosed(own, direction))) return undefined;",
    "if (!(isFailed || isClosed(own, direction))) return undefined;",
    "core:domain/steps/step-end.test.ts",
  ],
  [
    "A step that was accepted is accepted anew by its second run.",
    "core:domain/steps/step-run.ts",
    'from: ["Scheduled", "Running"],',
    'from: ["Scheduled", "Running", "Awaiting"],',
    "core:domain/steps/step-run.test.ts",
  ],
  [
    "A start that was made is made a second time.",
    "core:functions/engine-client.ts",
    '["orchestrators", orchestrator, instanceId]',
    '["orchestrators", orchestrator]',
    "core:functions/engine-client.test.ts",
  ],
]);
