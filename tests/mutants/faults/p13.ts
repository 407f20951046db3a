// P13: compensation.
import { faultsOf } from "../fault.ts";

const COMPENSATION = "operations:compensation.test.ts";
const DOMAIN = "core:domain/domain.test.ts";
const INDEPENDENT = "operations:independent-steps.test.ts";
const RESUBMIT = "operations:resubmit-compensation.test.ts";
const PLAN = "core:domain/record/plan.ts";

export const P13 = faultsOf("P13", [
  [
    "A compensation waits for a step that its service takes on for later meanwhile.",
    "core:domain/steps/step-end.ts",
    "return ledTo(record, next).isNews ? next : undefined;",
    "return undefined;",
    "operations:accepted-while-compensated.test.ts",
  ],
  [
    "Steps are compensated in the order in which they were done.",
    PLAN,
    "compensated.flatMap(({ name }) => (later.has(name) ? [name] : [])),",
    "compensated.flatMap(({ name }) => (later.has(name) || name === step.name ? [] : [name])),",
    DOMAIN,
  ],
  [
    "All steps are compensated at once.",
    PLAN,
    "compensated.flatMap(({ name }) => (later.has(name) ? [name] : [])),",
    "[],",
    COMPENSATION,
  ],
  [
    "A rejected step of unknown outcome is not compensated.",
    PLAN,
    "return outcomeUnknown ?? retryCount > 0;",
    "return false;",
    "core:domain/operator/operator-resubmit.test.ts",
  ],
  [
    "A step that expired is not compensated.",
    PLAN,
    "return outcomeUnknown === true || scheduledAt !== null || retryCount > 0;",
    "return false;",
    COMPENSATION,
  ],
  [
    "A compensation does not get what its step recorded.",
    "core:scheduler/steps/step-request.ts",
    "result: record.result,",
    "result: null,",
    COMPENSATION,
  ],
  [
    "A step that only a person can compensate is named to nobody.",
    "core:domain/steps/ending.ts",
    '["to be compensated manually", remainingManually(workflow, steps)],',
    "",
    RESUBMIT,
  ],
  [
    "A compensation that failed is named to nobody.",
    "core:domain/steps/ending.ts",
    '["not compensated", uncompensated(steps)],',
    "",
    COMPENSATION,
    RESUBMIT,
  ],
  [
    "A compensation ends while a step is at work.",
    PLAN,
    "return !isAtWork && plan.every(",
    "return plan.every(",
    INDEPENDENT,
  ],
  [
    "A step is compensated while it is at work.",
    PLAN,
    "return notBefore <= now && !isAtWork && ",
    "return notBefore <= now && ",
    INDEPENDENT,
  ],
  [
    "A compensated step counts as completed.",
    "core:domain/steps/step-run.ts",
    'state: record.state === "Skipped" ? "Skipped" : "Compensated" };',
    'state: record.state === "Skipped" ? "Skipped" : "Completed" };',
    COMPENSATION,
  ],
  [
    "A compensation that may have taken effect is left, and the job goes forward.",
    "core:domain/steps/forward-again.ts",
    "if (!thenForward || Object.values(record.steps).some(isCompensationUnknown)) return undefined;",
    "if (!thenForward) return undefined;",
    RESUBMIT,
  ],
  [
    "A job goes forward at once though a compensation may have taken effect.",
    "core:domain/operator/resubmit.ts",
    "if (unknown.length === 0) return goForward(record, FORWARD_AGAIN, asked);",
    "return goForward(record, FORWARD_AGAIN, asked);",
    RESUBMIT,
  ],
  [
    "A job that is resubmitted after its compensation keeps its old keys.",
    "core:domain/steps/operator-steps.ts",
    "result: null, compensation: null, generation: step.generation + 1 };",
    "result: null, compensation: null };",
    "operations:operate-job.test.ts",
  ],
  [
    "A rejected compensation is tried again under the key under which it is rejected.",
    "core:domain/steps/operator-steps.ts",
    "compensationGeneration: (step.compensationGeneration ?? 1) + 1 };",
    "compensationGeneration: step.compensationGeneration };",
    RESUBMIT,
  ],
  [
    "A rejection leads to no compensation beside a step at work.",
    "core:domain/steps/step-end.ts",
    '    direction: "compensate",\n    attempt: Math.max(record.attempt, attempt) + 1,',
    "    attempt: Math.max(record.attempt, attempt) + 1,",
    INDEPENDENT,
  ],
  [
    "A second rejection begins a second compensation.",
    "core:domain/steps/step-end.ts",
    'if (record.direction === "compensate" || hasEnded(record.processState))',
    "if (hasEnded(record.processState))",
    INDEPENDENT,
  ],
  [
    "The end of a compensation forgets its cause.",
    "core:domain/steps/ending.ts",
    'const { kind = "compensationRequested", step = null, agent = null } = cause ?? {};',
    'const { kind = "compensationRequested", step = null, agent = null }: Partial<JobError> = {};',
    COMPENSATION,
  ],
  [
    "An accepted step that is cancelled is not known to be of unknown outcome.",
    "core:domain/steps/step-run.ts",
    ", ...(isTakenUp(record) && { outcomeUnknown: record.outcomeUnknown ?? true }) };",
    " };",
    "core:domain/steps/step-run.test.ts",
  ],
  [
    "A cancellation does not find a job because of a stale read.",
    "core:submission/take-cancellation.ts",
    "return (await store.latest(jobId))?.record;",
    "return undefined;",
    "operations:stale-reads.test.ts",
  ],
]);
