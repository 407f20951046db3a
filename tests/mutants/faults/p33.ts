// P33: code and bytes that misbehave.
import { faultsOf } from "../fault.ts";

const MISFIT = "operations:misfit-results.test.ts";
const DEEP = "core:messaging/deep-json.test.ts";
const CHECKED = "core:messaging/checked.test.ts";

export const P33 = faultsOf("P33", [
  [
    "What an agent's code throws is not counted.",
    "core:scheduler/run-step.ts",
    "return failStep(given, run, codeFaultOf(cause, given, context.telemetry), context);",
    "throw cause;",
    "operations:thrown-code.test.ts",
  ],
  [
    "What an agent's code throws is not recorded.",
    "core:scheduler/run-step.ts",
    "const isNoted = run.isInTime && (await recordFault(task, { tries: 0, lastError }, context));",
    "const isNoted = false && lastError;",
    "operations:thrown-code.test.ts",
  ],
  [
    "A step whose code threw before it was taken up is scheduled again for ever.",
    "core:scheduler/run-step.ts",
    "if (run.startedAt === undefined) await run.begin(false);\n  await run.record();",
    "",
    "operations:thrown-code.test.ts",
  ],
  [
    "An outage around an agent's call counts as its code's failure.",
    "core:scheduler/code-fault.ts",
    "if (isThrown(Outage, cause)) throw cause;",
    "",
    "operations:thrown-code.test.ts",
  ],
  [
    "Something that can't be shown as text stops the count of failures.",
    "core:domain/thrown.ts",
    "return String(thrown);\n  } catch {\n    return NO_WORDS;",
    "return String(thrown);\n  } catch (cause) {\n    throw cause;",
    "operations:thrown-code.test.ts",
  ],
  [
    "Of a bad body each fault but the depth is named.",
    "core:messaging/checked.ts",
    "faults: [...depth, ...(parsed.success ?",
    "faults: [...(parsed.success ?",
    CHECKED,
    DEEP,
  ],
  [
    "A body that is nested too deep is taken.",
    "core:domain/exact-json.ts",
    "if (depth >= DEPTH_LIMIT) return true;",
    "if (depth >= 1e9) return true;",
    DEEP,
  ],
  [
    "What is nested too deep can't be kept.",
    "core:messaging/deep-json.ts",
    "return isNestedTooDeep(body) ? Buffer.from(jsonText(body)) : body;",
    "return body;",
    DEEP,
  ],
  [
    "An id that reads as a number is lost.",
    "core:submission/submission-message.ts",
    "if (Number.isSafeInteger(value)) return String(value);",
    "",
    "operations:submission.test.ts",
  ],
  [
    "A result of any size is recorded.",
    "core:agents/declared-results.ts",
    'if (bytes <= RESULT_BYTES) return { kind: "fits", result };',
    'return { kind: "fits", result };',
    "core:agents/declared-results.test.ts",
  ],
  [
    "A result that does not fit counts as rejected by the service.",
    "core:agents/declared-results.ts",
    'return { kind: "expired", tries: 1, lastError, outcomeUnknown: true };',
    'return { kind: "notTakenUp" };',
    MISFIT,
  ],
  [
    "A text in a service's answer has any length.",
    "core:agents/one-try.ts",
    "return { ...reply, message: bounded(reply.message) };",
    "return reply;",
    "shared/agents/bounds.test.ts",
  ],
  [
    "An answer of any size is read.",
    "core:agents/bounds.ts",
    "if (length > BODY_LIMIT_BYTES) break;",
    "",
    "shared/agents/bounds.test.ts",
  ],
]);
