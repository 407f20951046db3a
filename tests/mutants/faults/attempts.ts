// P13 to P16 and P23 to P25: how an attempt goes on, back or to its end, and what its requester is told.
import { faultsOf } from "../fault.ts";

const ATTEMPTS = "operations:attempts.test.ts";
const COMPENSATION = "operations:compensation.test.ts";
const INDEPENDENT = "operations:independent-steps.test.ts";
const RESUBMIT = "operations:resubmit-compensation.test.ts";
const START = "operations:start-claimed.test.ts";
const LOST = "operations:lost-answers.test.ts";
const SKIPPED = "operations:skipped-steps.test.ts";
const CANCELLATION = "operations:cancellation.test.ts";
const PLAN = "core:domain/record/plan.ts";
const PUBLISH = "core:scheduler/publishing/publish.ts";
const CLAIM = "core:scheduler/claim-job.ts";
const BUS = "core:messaging/service-bus-messenger.ts";
const MESSENGER = "core:messaging/service-bus-messenger.test.ts";
const REJECTED = "core:domain/steps/step-end.ts stepRejected";

export const OF_ATTEMPTS = [
  ...faultsOf("P13", [
    [
      "All steps are compensated at once.",
      `${PLAN} planOf`,
      ["text", "later.has(name) ? [name] : []", "[]"],
      COMPENSATION,
    ],
    [
      "A step that expired is not compensated.",
      `${PLAN} mayHaveHadEffect`,
      ["text", "outcomeUnknown === true || scheduledAt !== null || retryCount > 0", "false"],
      COMPENSATION,
    ],
    [
      "A compensation ends while a step is at work.",
      `${PLAN} isWholeDone`,
      ["call", "runsInHand", "(() => [])"],
      INDEPENDENT,
    ],
    [
      "A compensation that may have taken effect is left, and the job goes forward.",
      "core:domain/steps/forward-again.ts forwardAgain",
      ["drop term", "isCompensationUnknown"],
      RESUBMIT,
    ],
    [
      "A job that is resubmitted after its compensation keeps its old keys.",
      "core:domain/steps/operator-steps.ts begunAnew",
      ["drop member", "generation"],
      "operations:operate-job.test.ts",
    ],
    ["A second rejection begins a second compensation.", REJECTED, ["drop term", "compensate 1"], INDEPENDENT],
  ]),
  ...faultsOf("P14", [
    [
      "An earlier attempt is not told that it is over.",
      "core:scheduler/scheduler-client.ts startAttempt",
      ["drop term", "report"],
      START,
    ],
    [
      "A claim that others may have overtaken counts as the newest.",
      `${CLAIM} claimedBefore`,
      ["set member", "isBehind", "false"],
      ATTEMPTS,
    ],
    [
      "A retry begins with the first step.",
      `${PLAN} unbegun`,
      ["drop term", "isPlannedDone"],
      "core:domain/recovery/recovery.test.ts",
    ],
  ]),
  ...faultsOf("P15", [
    [
      "A requester does not receive Received.",
      "core:submission/record-submission.ts recordSubmission",
      ["drop call", "publish"],
      "operations:submission.test.ts",
    ],
    [
      "A message overtakes one that could not be sent.",
      `${PUBLISH} publishOrKeep`,
      ["swap", "clearOutbox", "publish"],
      ATTEMPTS,
    ],
    [
      "What was added to the outbox meanwhile is dropped.",
      `${PUBLISH} clearOutbox`,
      ["drop term", "isSameOutbox"],
      "operations:clear-outbox.test.ts",
    ],
    ["Messages leave the outbox before they are sent.", `${PUBLISH} clearOutbox`, ["drop call", "publish"], ATTEMPTS],
    [
      "A status in a second attempt has the id of the first.",
      `${BUS} statusMessageId`,
      ["drop element", "attempt"],
      MESSENGER,
    ],
    [
      "The end of an attempt is missed because of a stale read.",
      `${PUBLISH} publishEndOf`,
      ["call", "latest", "state"],
      "operations:stale-reads.test.ts",
    ],
  ]),
  ...faultsOf("P16", [
    [
      "A step that was done asks its service again.",
      "core:scheduler/steps/run-step.ts callAgent",
      ["never", "isOver"],
      "operations:in-one-activity.test.ts",
    ],
    ["A second run of a claim publishes nothing.", `${CLAIM} claimedBefore`, ["drop call", "publish"], ATTEMPTS],
    [
      "A write whose answer was lost counts as another's.",
      "core:scheduler/operating/operate-job.ts write",
      ["never", "isOwn"],
      "operations:operate-job.test.ts",
    ],
    [
      "A claim that concluded its job, and whose answer was lost, is published by nobody.",
      `${CLAIM} claimedBefore`,
      ["always", "tried"],
      LOST,
    ],
    [
      "After the loss of an engine the last statuses are sent again and again.",
      "core:scheduler/publishing/publish-ends-again.ts handle",
      ["drop call", "set"],
      "operations:publish-ends-again.test.ts",
    ],
    [
      "A step that ended its process is not recorded as at work the next time.",
      "core:scheduler/steps/take-up.ts begun",
      ["drop term", "mayHaveKilled"],
      "operations:killing-steps.test.ts",
    ],
  ]),
  ...faultsOf("P23", [
    ["A rejected optional step fails its job.", REJECTED, ["never", "skip"], SKIPPED],
    [
      "A step is done whose condition does not hold.",
      "core:scheduler/steps/step-request.ts beginStep",
      ["always", "holds"],
      SKIPPED,
    ],
    [
      "A condition is decided again by each run of a task.",
      "core:scheduler/steps/step-request.ts decideOnce",
      ["text", "own?.decided", "undefined"],
      "operations:decided-once.test.ts",
    ],
  ]),
  ...faultsOf("P24", [
    [
      "A cancelled job ends at once whatever was done.",
      "core:domain/operator/operator.ts isUntouched",
      ["drop term", "mayHaveHadEffect"],
      "operations:operate-pending-job.test.ts",
    ],
    [
      "A sender cancels the job of another.",
      "core:submission/take-cancellation.ts obstacleTo",
      ["never", "isOwn"],
      CANCELLATION,
    ],
  ]),
  ...faultsOf("P25", [
    [
      "The last status has no outputs.",
      "core:domain/steps/outputs.ts WITH_OUTPUTS",
      ["drop element", "Completed"],
      "core:domain/steps/outputs.test.ts",
    ],
  ]),
];
