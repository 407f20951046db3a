// P8: nothing after complete-by.
import { faultsOf } from "../fault.ts";

const QUEUE = "operations:queue-agents.test.ts";
const ATTEMPTS = "operations:attempts.test.ts";

export const P8 = faultsOf("P8", [
  [
    "A reply after complete-by is recorded.",
    "core:scheduler/steps/take-reply.ts",
    "const isPast = isInHand(run) && ports.now() > Date.parse(task.completeBy);",
    "const isPast = isInHand(run) && ports.now() < 0;",
    QUEUE,
  ],
  [
    "A late reply is not counted.",
    "core:scheduler/steps/reject-late.ts",
    'context.telemetry.event("LateReplyRejected", { jobId, attempt, step, reason });',
    "",
    QUEUE,
  ],
  [
    "A late reply stands in no audit log.",
    "core:scheduler/steps/reject-late.ts",
    "await context.supervision.lateReply({ at: instant(context.now()), jobId, attempt, step, reason });",
    "",
    QUEUE,
  ],
  [
    "The answer of a run that was scheduled again is recorded.",
    "core:domain/steps/step-end.ts",
    "return isInHand(run) && run.attempt === attempt && ",
    "return isInHand(run) && ",
    "operations:independent-steps.test.ts",
  ],
  [
    "An agent behind its queue speaks after complete-by.",
    "core:scheduler/steps/answer-request.ts",
    "if (instant(context.now()) > (completeBy ?? latest)) return;",
    "",
    QUEUE,
  ],
  [
    "A try begins after complete-by on a machine that was suspended.",
    "core:agents/deadline.ts",
    "return this.#passed || this.#now() >= this.#at;",
    "return this.#passed;",
    "core:agents/within-bounds.test.ts",
  ],
  [
    "A try begins though its credential came after complete-by.",
    "core:agents/one-try.ts",
    "if (deadline.passed) return deadline.pass();",
    "",
    "core:agents/within-bounds.test.ts",
  ],
  [
    "A step that was taken up before goes on after its time.",
    "core:scheduler/steps/take-up.ts",
    " || run.completeBy <= now) return undefined;",
    ") return undefined;",
    ATTEMPTS,
  ],
  [
    "A poll past complete-by is recorded.",
    "core:scheduler/steps/poll-service.ts",
    " || (completeBy !== null && now > completeBy)) return undefined;",
    ") return undefined;",
    "operations:polled-steps.test.ts",
  ],
  [
    "What an agent met is noted after complete-by.",
    "core:scheduler/steps/run-step.ts",
    "isNoted ||= run.isInTime && (await recordFault(task, fault, context));",
    "isNoted ||= await recordFault(task, fault, context);",
    "operations:expiry-cause.test.ts",
  ],
]);
