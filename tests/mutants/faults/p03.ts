// P3: the records of steps.
import { faultsOf } from "../fault.ts";

const RECOVERY = "core:domain/recovery/recovery.test.ts";

export const P3 = faultsOf("P3", [
  [
    "A step's retries are not counted.",
    "core:domain/steps/step-run.ts",
    "retryCount: run.retryCount + 1",
    "retryCount: run.retryCount",
    RECOVERY,
  ],
  [
    "How often a step was not taken up is not counted.",
    "core:domain/steps/step-run.ts",
    "const waitCount = run.waitCount + 1;",
    "const waitCount = run.waitCount;",
    RECOVERY,
  ],
  [
    "A step that begins again keeps the time of its last run.",
    "core:domain/steps/step-run.ts",
    "    startedAt: null,\n    endedAt: null,\n    error: null,",
    "    error: null,",
    "core:domain/steps/step-run.test.ts",
  ],
  [
    "A step's complete-by leaves out the time until its start.",
    "core:domain/steps/step-run.ts",
    "completeBy: after(now, freeMs + (durationMs(completeWithin) ?? 0)),",
    "completeBy: after(now, durationMs(completeWithin) ?? 0),",
    "operations:attempts.test.ts",
  ],
]);
