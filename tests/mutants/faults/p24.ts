// P24: cancellations.
import { faultsOf } from "../fault.ts";

const CANCELLATION = "operations:cancellation.test.ts";

export const P24 = faultsOf("P24", [
  [
    "A cancelled job ends at once whatever was done.",
    "core:domain/operator/operator.ts",
    "&& namesOf(steps, mayHaveHadEffect).length === 0;",
    ";",
    "operations:operate-pending-job.test.ts",
  ],
  [
    "A job that is cancelled goes on forward.",
    "core:domain/recovery/next-attempt.ts",
    '      ...withoutDeadline(next.record),\n      direction: "compensate",',
    "      ...withoutDeadline(next.record),",
    CANCELLATION,
  ],
  [
    "A requester cancels after the step from which on it is too late.",
    "core:domain/operator/operator.ts",
    "if (byRequester && hasBegun) return",
    "if (!byRequester && hasBegun) return",
    CANCELLATION,
  ],
  [
    "A sender cancels the job of another.",
    "core:submission/take-cancellation.ts",
    "if (!isOwn(record, asked)) return unknown(context);",
    "",
    CANCELLATION,
  ],
  [
    "On a shared queue an id is enough to cancel a job.",
    "core:submission/take-cancellation.ts",
    "return record.contentDigest === contentDigest;",
    "return true;",
    CANCELLATION,
  ],
  [
    "A cancellation that is delivered again is rejected.",
    "core:submission/take-cancellation.ts",
    'if (record.error?.kind === "cancelled") return undefined;',
    "",
    CANCELLATION,
  ],
  [
    "A cancellation that overtakes its job is answered as unknown.",
    "core:submission/take-cancellation.ts",
    "if (ageMs < JOB_COMES_WITHIN_MS) throw",
    "if (ageMs < 0) throw",
    CANCELLATION,
  ],
  [
    "A cancelled job ends as a compensated one.",
    "core:domain/steps/ending.ts",
    'kind === "cancelled" ? "Cancelled" : "Compensated"',
    '"Compensated"',
    "operations:operate-pending-job.test.ts",
  ],
  [
    "Who cancels a job receives no answer.",
    "core:submission/take-cancellation.ts",
    "const published = await context.messenger.reject(reply, {",
    "const published = await Promise.resolve({",
    CANCELLATION,
  ],
]);
