// P9 to P12, P21, P26, P27 and P35: who decides what comes after a failure, when, and how often.
import { faultsOf } from "../fault.ts";

const RECOVERY = "core:domain/recovery/recovery.test.ts";
const SWEEP = "operations:sweep.test.ts";
const RANDOM = "packages/testing/tests/moves/random-runs.test.ts";
// Its first test measures the machine's speed.
const PACE = "operations:sweep-pace.test.ts -t record";
const SUPERVISORS = "operations:supervisors.test.ts";
const ALERTS = "operations:owed-alerts.test.ts";
const RESUBMIT = "core:domain/operator/operator-resubmit.test.ts";
const COSMOS = "tests/contract/cosmos-order-store.test.ts";
const MEMORY = "contract:memory-job-store.test.ts";
const HOLD = "core:domain/hold.test.ts";
const HOLD_MESSAGE = "operations:hold-message.test.ts";
const DECISION = "core:domain/recovery/recovery.ts";
const RECOVERED = "core:domain/recovery/recovered.ts";
const DEADLINE = `${DECISION} decideDeadline`;
const HELD_BY = "core:domain/steps/failure-budget.ts";
const RECOVER_JOB = "core:supervisor/recover-job.ts";
const DECIDED = `${DECISION} decideExpired`;
const OF_DEADLINE = "core:domain/record/deadline.test.ts";

export const OF_SUPERVISION = [
  ...faultsOf("P9", [
    [
      "A rejected step is resubmitted under the key under which its service rejects it.",
      "core:domain/steps/operator-steps.ts begunAgain",
      ["always", "outcomeIsUnknown"],
      "operations:operate-job.test.ts",
    ],
    [
      "A rejection in Error raises no alert.",
      "core:scheduler/publishing/publish.ts concludeJob",
      ["drop call", "reportError"],
      ALERTS,
    ],
    [
      "An alert whose process died is raised by nobody.",
      `${RECOVER_JOB} precede`,
      ["drop call", "reportOwedError"],
      ALERTS,
    ],
    [
      "An edit is taken while nobody knows whether a step took effect.",
      "core:domain/operator/resubmit.ts goForward",
      ["call", "uncertainSteps", "(() => [])"],
      RESUBMIT,
    ],
  ]),
  ...faultsOf("P10", [
    ["A threshold of three means four failed attempts.", `${DECISION} decideFailed`, ["operator", "<", "<="], RECOVERY],
    ["A recovered record keeps its holder.", `${RECOVERED} again`, ["drop member", "lockedBy"], RECOVERY],
    ["The scheduler is not notified of a retry.", `${RECOVER_JOB} sendOwed`, ["drop call", "startAttempt"], SWEEP],
    ["The supervisor gives a job up without an alert.", `${RECOVER_JOB} report`, ["drop call", "reportError"], SWEEP],
    [
      "A record that can't be recovered does not step back.",
      `${RECOVER_JOB} recoverJob`,
      ["drop call", "stepBack"],
      PACE,
    ],
    [
      "On Cosmos DB the records that are due last come first.",
      "core:store/cosmos-job-store.ts due",
      ["text", "ORDER BY c.dueAt`", "ORDER BY c.dueAt DESC`"],
      `${COSMOS} -t due finds`,
    ],
  ]),
  ...faultsOf("P11", [
    [
      "The first pause is left out.",
      `${DECISION} decideFailed`,
      ["text", "policy.failureThreshold]", "policy.failureThreshold + 1]"],
      RECOVERY,
    ],
    ["A failed compensation is compensated in turn.", `${DECISION} decideFailed`, ["always", "forward"], RECOVERY],
    ["What a job used up forward limits its compensation.", `${DECISION} failuresOf`, ["always", "forward"], RECOVERY],
    [
      "An attempt after a pause is started at once.",
      `${DECISION} claimableAt`,
      ["return", "undefined"],
      "operations:independent-steps.test.ts",
    ],
  ]),
  ...faultsOf("P12", [
    [
      "On Cosmos DB a record is replaced at any version.",
      "core:store/cosmos-job-store.ts replaceState",
      ["drop member", "accessCondition"],
      COSMOS,
    ],
    ["A supervisor that follows sweeps too.", "core:supervisor/sweep.ts sweep", ["never", "following"], SUPERVISORS],
    [
      "A sweep goes on after its lead is lost.",
      "core:supervisor/sweep.ts mayGoOn",
      ["always", "stillLeads"],
      SUPERVISORS,
    ],
    [
      "A record that another supervisor was faster to write counts as recovered.",
      `${RECOVER_JOB} Recovering.write`,
      ["text", '"lost"', '"applied"'],
      SUPERVISORS,
    ],
    [
      "An operator acts on a version that was not looked at.",
      "core:scheduler/operating/operate-job.ts operateOn",
      ["never", "isWantedVersion"],
      "operations:operate-job.test.ts",
    ],
  ]),
  ...faultsOf("P21", [
    [
      "A step that expired takes those beside it with it.",
      `${RECOVERED} again`,
      ["call", "overdueRuns", "runsInHand"],
      RECOVERY,
    ],
    [
      "Time that an operator gave is lost when a step is taken up.",
      "core:domain/steps/unread.ts markUnread",
      ["drop member", "dueBy"],
      `${COSMOS} -t a mark that a step was taken up`,
      `${MEMORY} -t a mark that a step was taken up`,
    ],
  ]),
  ...faultsOf("P26", [
    [
      "A step that waited because there is too much to do counts as a failure.",
      DECIDED,
      ["text", "isTakenUp(each.run) ||", "true ||"],
      RECOVERY,
      SWEEP,
    ],
    ["A step that nobody takes up is never a failure.", DECIDED, ["drop term", "untaken 1"], SWEEP],
    [
      "A step counts as a failure the first time that nobody takes it up.",
      "core:supervisor/judge-waits.ts judgeWaits",
      ["drop term", "mostTimesUntaken"],
      SWEEP,
    ],
    [
      "New jobs are admitted while the engine has a backlog.",
      "core:scheduler/admission/admission.ts places",
      ["text", "Math.max(FIRST, waits.ended, engineBegan())", "limit"],
      "operations:admission.test.ts",
    ],
    [
      "A pause does not stop the clock of a wait.",
      "core:domain/record/wait.ts afterPauses",
      ["return", "undefined"],
      "operations:own-absence.test.ts -t for a while within the wait",
    ],
    [
      "A wait ends though the app was away at its end.",
      "core:domain/record/wait.ts afterAbsence",
      ["return", "undefined"],
      `${RANDOM} -t from seed 371:`,
    ],
    [
      "A poll that an outage lost is never made.",
      "core:domain/record/due.ts owesPoll",
      ["return", "false"],
      `${RANDOM} -t from seed 1:`,
    ],
    [
      "A step that waited while the app was away counts as a failure.",
      "core:supervisor/judge-waits.ts waitedForApp",
      ["return", "false"],
      `${RANDOM} -t from seed 141:`,
    ],
    [
      "A step that waited for an engine that can't be reached counts as a failure.",
      "core:scheduler/admission/agent-presence.ts handedOut",
      ["drop call", "engineLost"],
      `${RANDOM} -t from seed 331:`,
    ],
    [
      "A paused agent is called.",
      "core:agents/route-agent.ts call",
      ["never", "mayBegin"],
      "core:agents/paused-agent.test.ts",
    ],
  ]),
  ...faultsOf("P27", [
    ["A wrong credential uses up the tries of a job.", `${HELD_BY} heldBy`, ["return", "undefined"], HOLD],
    [
      "A wrong credential of an earlier attempt excuses every later outage.",
      `${HELD_BY} heldBy`,
      ["never", "attempt"],
      HOLD,
      "operations:expiry-cause.test.ts",
    ],
    [
      "A gateway's page counts as the service's rejection.",
      "core:agents/service-answers.ts declaredFor",
      ["text", "isJson &&", "true &&"],
      "shared/agents/service-answers.test.ts",
    ],
    [
      "A message in an outage is thrown back, and counted as delivered.",
      "core:functions/hold-message.ts holdMessage",
      ["always", "Outage"],
      HOLD_MESSAGE,
    ],
    [
      "A faulty message is held as in an outage.",
      "core:functions/hold-message.ts holdMessage",
      ["never", "Outage"],
      HOLD_MESSAGE,
    ],
  ]),
  ...faultsOf("P35", [
    ["A job in compensation is hit by its deadline.", DEADLINE, ["drop term", "forward"], OF_DEADLINE],
    [
      "A job that ends in time keeps its deadline.",
      "core:domain/steps/transitions.ts concluded",
      ["call", "withoutDeadline", "structuredClone"],
      "testing:world/job-deadline.test.ts",
    ],
  ]),
];
