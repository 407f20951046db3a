// P1 to P5, P17, P28 and P29: what is recorded, under which condition, in which version, and for how long.
import { faultsOf } from "../fault.ts";

const COSMOS = "tests/contract/cosmos-order-store.test.ts";
const GUARDS = `${COSMOS} -t guards`;
const MEMORY = "contract:memory-job-store.test.ts";
const IN_MEMORY = `${MEMORY} -t guards`;
const SUBMISSION = "operations:submission.test.ts";
const ATTEMPTS = "operations:attempts.test.ts";
const STALE_READS = "operations:stale-reads.test.ts";
const NO_WORKFLOW = "operations:missing-workflow.test.ts";
const CLOSE = "operations:close-jobs.test.ts";
const DOMAIN = "core:domain/domain.test.ts";
const DIFFERENCE = "core:domain/record/difference.test.ts";
const APPLIED = "core:domain/record/apply-changes.ts";
const CONDITION = "core:store/guarded-patch.ts conditionOf";
const NEW_RECORD = "core:domain/record/new-state-record.ts newStateRecord";
const CLAIM = "core:domain/steps/claim.ts claimUnread";
const RECORD = "core:submission/record-submission.ts";

export const OF_RECORDS = [
  ...faultsOf("P1", [
    [
      "The record is written without the job's content.",
      "core:store/cosmos-job-store.ts create",
      ["drop element", "contentOperation"],
      `${COSMOS} -t another process`,
    ],
    [
      "A message that comes twice is taken for a new job.",
      "core:store/cosmos-job-store.ts create",
      ["text", "return false", "return true"],
      `${COSMOS} -t a second create`,
    ],
    [
      "Of a bad submission only the first fault is named.",
      "core:submission/submission-message.ts parse",
      ["set member", "faults 3", "faults.slice(0, 1)"],
      SUBMISSION,
    ],
    [
      "A bad submission is dropped, and not kept.",
      "core:submission/reject-submission.ts rejectSubmission",
      ["drop call", "quarantine"],
      SUBMISSION,
    ],
    [
      "Another job under a known id counts as the same one.",
      `${RECORD} isSubmittedAgain`,
      ["drop term", "sameAsStored"],
      SUBMISSION,
    ],
    [
      "The same job by another sender's queue counts as its own.",
      `${RECORD} isSubmittedAgain`,
      ["drop term", "owner"],
      "operations:senders.test.ts",
    ],
    [
      "A job that the store will never take is delivered again and again.",
      `${RECORD} createOrSay`,
      ["never", "NotStorable"],
      "contract:cosmos-limits.test.ts -t a submission that the store will never take",
    ],
    [
      "A duplicate of a job under way starts an attempt that was not claimed.",
      "core:submission/record-submission.ts claimFirst",
      ["return", "claimJob(startAttemptOf(record), context, record)"],
      SUBMISSION,
      `${CLOSE} -t P1 P29`,
    ],
  ]),
  ...faultsOf("P2", [
    [
      "A new record is never due: nobody finds a job that was not claimed.",
      NEW_RECORD,
      ["drop member", "dueAt"],
      "operations:sweep.test.ts -t nobody claimed",
    ],
    [
      "A record keeps every entry of its history.",
      "core:domain/recovery/next-attempt.ts historyWith",
      ["text", ".slice(-HISTORY_LIMIT)", ""],
      "core:domain/operator/operator.test.ts",
    ],
  ]),
  ...faultsOf("P3", [
    [
      "A step's retries are not counted.",
      "core:domain/steps/step-run.ts restarted",
      ["text", "retryCount + 1", "retryCount"],
      "core:domain/recovery/recovery.test.ts",
    ],
  ]),
  ...faultsOf("P4", [
    ["In memory a write does not ask for the state.", `${APPLIED} holds`, ["drop term", "processStates"], IN_MEMORY],
    ["In memory a write does not ask for the holder.", `${APPLIED} holds`, ["drop term", "lockedBy"], IN_MEMORY],
    ["In memory a write does not ask for the attempt.", `${APPLIED} holds`, ["drop term", "attempt"], IN_MEMORY],
    ["In memory a write does not ask for the run's state.", `${APPLIED} stepIs`, ["drop term", "states"], IN_MEMORY],
    ["On Cosmos DB a write does not ask for the holder.", CONDITION, ["never", "lockedBy"], GUARDS],
    ["On Cosmos DB a write does not ask for the attempt.", CONDITION, ["never", "attempt"], GUARDS],
    [
      "On Cosmos DB a write takes the run of a later attempt.",
      CONDITION,
      ["text", '"attempt")} = ${attempt}', '"attempt")} >= ${attempt}'],
      GUARDS,
    ],
    [
      "On Cosmos DB the last step and the one before it are taken for each other.",
      CONDITION,
      ["negate", "allDone"],
      GUARDS,
    ],
    ["On Cosmos DB a record that is due a moment later is due.", CONDITION, ["never", "dueBy"], GUARDS],
    ["A claim takes a job that another attempt holds.", CLAIM, ["drop member", "lockedBy"], DOMAIN],
    ["A claim takes a job for an attempt that is over.", CLAIM, ["drop member", "attempt"], DOMAIN],
    [
      "A second claim of the same attempt is taken, whoever holds the job.",
      "core:scheduler/claim-job.ts claimedBefore",
      ["drop term", "lockedBy"],
      ATTEMPTS,
    ],
    [
      "The end of a step is written whichever attempt holds the job.",
      "core:domain/steps/unread.ts endsUnread.held",
      ["drop member", "attempt"],
      DOMAIN,
    ],
    [
      "A write without a read sets what others may have written beside it.",
      "core:domain/record/difference.ts stepSet",
      ["always", "was"],
      DIFFERENCE,
    ],
    [
      "A write without a read replaces a history that it does not know.",
      "core:domain/record/difference.ts appended",
      ["return", '[{ op: "set", path: [member], value: after }]'],
      DIFFERENCE,
    ],
    [
      "An attempt that does not hold the job goes on.",
      "core:domain/steps/attempt.ts outcomeReadBy",
      ["text", "record?.lockedBy !== lockedBy", "!record"],
      "operations:read-progress.test.ts",
    ],
    [
      "That there is nothing to write is decided on a stale read.",
      "core:scheduler/change.ts change",
      ["call", "latest", "state"],
      STALE_READS,
    ],
  ]),
  ...faultsOf("P5", [
    [
      "A step of an attempt is begun a second time.",
      "core:domain/steps/attempt.ts tasksToBegin",
      ["drop term", "runKey"],
      "core:domain/steps/attempt.test.ts",
    ],
    [
      "An activity goes on with the next step, whatever else can begin.",
      "core:domain/steps/attempt.ts followingTask",
      ["drop term", "length"],
      "operations:in-one-activity.test.ts",
    ],
  ]),
  ...faultsOf("P17", [
    [
      "The end of another run counts as this one's.",
      "core:domain/steps/step-end.ts foundEnd",
      ["drop term", "attempt"],
      "core:domain/steps/step-end.test.ts",
    ],
    [
      "A step run again after its write is late.",
      "core:scheduler/steps/record-step.ts recordAnswer",
      ["call", "findStepEnd", "(() => undefined)"],
      ATTEMPTS,
    ],
  ]),
  ...faultsOf("P28", [
    [
      "On Cosmos DB a write changes a record of another version.",
      CONDITION,
      ["drop element", "schemaVersion"],
      `${COSMOS} -t records of other versions`,
    ],
    [
      "A newer app's record is read as if it were this one's.",
      "core:store/record-versions.ts recordOf",
      ["never", "RECORD_VERSION 1"],
      "tests/contract/memory-stored-records.test.ts",
    ],
    [
      "A job goes on with whatever version of its workflow there is.",
      "core:domain/workflows/workflows.ts find",
      ["drop term", "version"],
      NO_WORKFLOW,
    ],
  ]),
  ...faultsOf("P29", [
    [
      "A job that owes a message is over.",
      "core:domain/record/retention.ts isOver",
      ["never", "outbox"],
      "core:domain/record/retention.test.ts",
    ],
    [
      "A message is left in a closed record whose documents expire.",
      "core:domain/record/outbox.ts addToOutbox",
      ["always", "keptUntil"],
      CLOSE,
    ],
    [
      "A job that was just completed is closed while its last message is sent.",
      "core:supervisor/close-jobs.ts closeJobs",
      ["text", '["Processed", STILL_PUBLISHED_MS]', '["Processed", 0]'],
      CLOSE,
    ],
    [
      "A job that has something to publish is erased.",
      "operator:operations/erase-job.ts eraseJob",
      ["call", "isOver", "(() => true)"],
      "desk:erase-job.test.ts",
    ],
  ]),
];
