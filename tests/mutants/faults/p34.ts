// P34: services that are not idempotent.
import { faultsOf } from "../fault.ts";

const NOT_REPEATED = "operations:not-repeated.test.ts";
const KEYS = "core:agents/without-keys.test.ts";
const POLICY = "core:agents/operation-policy.test.ts";
const TRIES = "core:agents/until-answered.ts";

export const P34 = faultsOf("P34", [
  [
    "What is done at most once is tried again after a try without an answer.",
    TRIES,
    "if (outcomeUnknown && atMostOnce) {",
    "if (outcomeUnknown && atMostOnce && tries === 0) {",
    KEYS,
  ],
  [
    "What an earlier attempt may have done is tried.",
    TRIES,
    "let outcomeUnknown = request.mayHaveHappened === true || work.triedUntil !== undefined;",
    "let outcomeUnknown = work.triedUntil !== undefined;",
    KEYS,
  ],
  [
    "What another run of the same task may have done is tried.",
    TRIES,
    "let outcomeUnknown = request.mayHaveHappened === true || work.triedUntil !== undefined;",
    "let outcomeUnknown = request.mayHaveHappened === true;",
    NOT_REPEATED,
  ],
  ["What can still take effect counts as absent.", TRIES, "if (lease.startedAt < settledAt) break;", "", POLICY],
  [
    "An aborted try does not set back the time at which nothing can take effect any more.",
    TRIES,
    "outcomeUnknown = true;\n          settledAt = settled(now());",
    "outcomeUnknown = true;",
    POLICY,
  ],
  [
    "A try that had no answer counts as not done.",
    TRIES,
    "if (asks || !reply.mayHaveHappened) break;",
    "break;",
    POLICY,
  ],
  [
    "A step that must not be repeated is not recorded before its first try.",
    "core:scheduler/steps/run-step.ts",
    "new TakeUp(given, agent.isNotRepeated?.(given.operation) ?? false, context);",
    "new TakeUp(given, false, context);",
    NOT_REPEATED,
  ],
  [
    "The start of a step that must not be repeated does not say that its outcome is unknown.",
    "core:scheduler/steps/take-up.ts",
    "const unknown = this.#isNotRepeated ? isSent || isUnknown(this.#task) : undefined;",
    "const unknown = undefined;",
    NOT_REPEATED,
  ],
  [
    "A second run of the same task is not told of the first.",
    "core:scheduler/steps/take-up.ts",
    "return { completeBy, ...(this.#isNotRepeated && { triedUntil: completeBy }) };",
    "return { completeBy };",
    NOT_REPEATED,
  ],
  [
    "A step that only waited counts as one that may have been done.",
    "core:scheduler/steps/step-request.ts",
    "if (isNotRepeated) return outcomeUnknown ?? retryCount > 0;",
    "",
    NOT_REPEATED,
  ],
  [
    "An agent is not told that its step was only scheduled before.",
    "core:scheduler/steps/step-request.ts",
    "return retryCount > 0 || waitCount > 0 || outcomeUnknown === true;",
    "return retryCount > 0 || outcomeUnknown === true;",
    "operations:sweep.test.ts",
  ],
  [
    "A rejection after a try without an answer counts as certain.",
    "core:scheduler/steps/run-step.ts",
    "return agent.isNotRepeated?.(operation) ? { outcomeUnknown } : {};",
    "return {};",
    NOT_REPEATED,
  ],
  [
    "An agent behind its queue asks at once what must not be repeated.",
    "core:scheduler/steps/answer-request.ts",
    "const isNotRepeated = !awaited && agent.isNotRepeated?.(operation) === true;",
    "const isNotRepeated = false;",
    NOT_REPEATED,
  ],
]);
