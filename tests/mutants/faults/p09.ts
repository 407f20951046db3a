// P9: rejections, alerts and resubmissions.
import { faultsOf } from "../fault.ts";

const ALERTS = "operations:owed-alerts.test.ts";
const OPERATE = "operations:operate-job.test.ts";
const RECOVER_JOB = "core:supervisor/recover-job.ts";

export const P9 = faultsOf("P9", [
  [
    "A rejected step is resubmitted under the key under which its service rejects it.",
    "core:domain/steps/operator-steps.ts",
    "return outcomeIsUnknown(step) ? again : underNextKey(again);",
    "return again;",
    OPERATE,
  ],
  [
    "A rejected step of unknown outcome is resubmitted under another key.",
    "core:domain/steps/operator-steps.ts",
    "return outcomeIsUnknown(step) ? again : underNextKey(again);",
    "return underNextKey(again);",
    "core:domain/operator/operator-resubmit.test.ts",
  ],
  [
    "An edited job goes under the keys of its old content.",
    "core:domain/steps/operator-steps.ts",
    'return before.state !== "Failed" && !outcomeIsUnknown(before) ? step : underNextKey(step);',
    "return step;",
    "core:domain/operator/operator-resubmit.test.ts",
  ],
  [
    "A resubmission runs completed steps again.",
    "core:domain/steps/operator-steps.ts",
    '    case "NotStarted":\n    case "Completed":',
    '    case "Completed":\n      return { ...step, ...NOT_STARTED };\n    case "NotStarted":',
    "core:domain/operator/operator-resubmit.test.ts",
  ],
  [
    "A rejection in Error raises no alert.",
    "core:scheduler/publishing/publish.ts",
    "} else reportError(ended.record, context.telemetry);",
    "}",
    ALERTS,
  ],
  [
    "An alert whose process died is raised by nobody.",
    RECOVER_JOB,
    "reportOwedError(record, context.telemetry);",
    "",
    ALERTS,
  ],
  [
    "An owed alert is raised for a status that was sent before.",
    "core:scheduler/publishing/publish.ts",
    "if (outbox.some((one) => one.status === end && one.attempt === attempt)) reportError(record, telemetry);",
    "reportError(record, telemetry);",
    ALERTS,
  ],
  [
    "An edit is taken while nobody knows whether a step took effect.",
    "core:domain/operator/resubmit.ts",
    "const uncertain = edited ? uncertainSteps(taken, record.steps, workflow) : [];",
    "const uncertain: string[] = [];",
    "core:domain/operator/operator-resubmit.test.ts",
  ],
  [
    "An operator's new attempt begins while agents of the old one are at work.",
    "core:domain/recovery/next-attempt.ts",
    "const isBusy = timesOutAt > now;",
    "const isBusy = timesOutAt < '';",
    "core:domain/operator/operator-resubmit.test.ts",
  ],
  [
    "Failures from before a resubmission are counted after it.",
    "core:domain/operator/resubmit.ts",
    "const taken = mapSteps(mapSteps(record.steps, forgiven), course.step);",
    "const taken = mapSteps(record.steps, course.step);",
    "core:domain/operator/operator-resubmit.test.ts",
  ],
]);
