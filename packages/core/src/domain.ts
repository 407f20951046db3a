// Public entry `core/domain`: the state record and the decisions on it, pure, for agents whose resource is the state store (P2, P3), and for the packages
// that show and try them.
export { textOfBody } from "./domain/content/body-text.ts";
export { canonicalJson, isNestedTooDeep, parseExactly } from "./domain/content/exact-json.ts";
export { HIDDEN, REMOVED, type ReplyAddress, withHiddenSecrets, withoutSecrets } from "./domain/content/job.ts";
export { secretValuesOf } from "./domain/content/redactor.ts";
export { counted } from "./domain/counted.ts";
export { sourceOf, stepOfRun } from "./domain/definition/items.ts";
export { SKIP_CAUSES } from "./domain/definition/skipped.ts";
export {
  type JobDeadline,
  type KnownAgents,
  LONGEST_START_MS,
  levelsOf,
  policyFor,
  type StepPolicy,
} from "./domain/definition/workflow.ts";
export { contentOfWorkflow } from "./domain/definition/workflow-content.ts";
export { after, durationMs, instant } from "./domain/duration.ts";
export { decide } from "./domain/operator/operator.ts";
export type { OperatorAction } from "./domain/operator/operator-action.ts";
export { type UnknownOutcome, unknownOutcomes } from "./domain/operator/record-outcome.ts";
export { NewerSchema, Outage } from "./domain/outage.ts";
export { applyChanges, holds } from "./domain/record/apply-changes.ts";
export { writeOf } from "./domain/record/difference.ts";
export { expiresAt, pausesOf } from "./domain/record/due.ts";
export { expandedSteps } from "./domain/record/expand.ts";
export {
  type Change,
  type Guard,
  type GuardedWrite,
  isOneWrite,
  type Lifetime,
} from "./domain/record/guarded-write.ts";
export { idempotencyKey, type KeyChoice, keyChoiceOf } from "./domain/record/idempotency-key.ts";
export { newStateRecord } from "./domain/record/new-state-record.ts";
export { completionsOf, OUTBOX_GRACE_MS, owed, retryOf } from "./domain/record/outbox.ts";
export { isDone, isInHand, isTakenUp, mayHaveHadEffect, runOf, runsInHand } from "./domain/record/plan.ts";
export { isOver, OPEN_ERRORS } from "./domain/record/retention.ts";
export {
  attemptId,
  type Direction,
  type EndState,
  ERROR_KINDS,
  type Expiry,
  type HistoryEntry,
  hasEnded,
  holderId,
  type JobError,
  type JobStatus,
  NOT_STARTED,
  type OutboxMessage,
  PROCESS_STATES,
  type ProcessState,
  RECORD_VERSION,
  type ReadResults,
  type StateRecord,
  type StepRecord,
  type StepRun,
  type StepState,
  type Steps,
} from "./domain/record/state-record.ts";
export { courseOf, type Decision } from "./domain/recovery/next-attempt.ts";
export { recover, startAttemptOf } from "./domain/recovery/recovery.ts";
export { snapshotOf } from "./domain/recovery/snapshot.ts";
export { isToBeLookedAt, unrecoveredOf } from "./domain/recovery/unrecovered.ts";
export { START_REPEATED } from "./domain/recovery/verdicts.ts";
export {
  type Attempt,
  type ClaimOutcome,
  type Look,
  looksAt,
  outcomeReadBy,
  PROGRESS,
  type Reply,
  runKey,
  type StartAttempt,
  type StepEnd,
  type StepOutcome,
  type StepTask,
} from "./domain/steps/attempt.ts";
export { claimed, claimUnread } from "./domain/steps/claim.ts";
export { outputOf } from "./domain/steps/news.ts";
export { isWanted } from "./domain/steps/outputs.ts";
export type { PollTask } from "./domain/steps/poll.ts";
export { type NextStep, scheduled, untaken } from "./domain/steps/step-run.ts";
export { transitions } from "./domain/steps/transitions.ts";
export { inWords, isThrown, messageOf, underlyingError } from "./domain/thrown.ts";
export { sleep, startTimer, type Timer } from "./domain/timer.ts";
export { workflowFaults } from "./domain/workflows/workflow-faults.ts";
export { itemsOf, knownRules } from "./domain/workflows/workflow-rules.ts";
export { loadWorkflows, offered, type Workflows } from "./domain/workflows/workflows.ts";
export { type Timing, USUAL_TIMING } from "./scheduler/ports.ts";
export type { Versioned } from "./store/job-store.ts";
