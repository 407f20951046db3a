// Public entry `core/domain`: the record's states and the decisions on it, pure, for the packages that show and try them.
export { applyChanges, holds } from "./domain/apply-changes.ts";
export {
  type Attempt,
  type ClaimOutcome,
  type Look,
  looksAt,
  PROGRESS,
  runKey,
  type StartAttempt,
  type StepEnd,
  type StepOutcome,
  type StepTask,
  standingOf,
} from "./domain/attempt.ts";
export { textOfBody } from "./domain/body-text.ts";
export { canonicalJson } from "./domain/canonical-json.ts";
export { counted } from "./domain/counted.ts";
export { after, durationMs, instant } from "./domain/duration.ts";
export { isNestedTooDeep, parseExactly } from "./domain/exact-json.ts";
export { expandedSteps } from "./domain/expand.ts";
export { type Guard, type GuardedWrite, isOneWrite, type Lifetime } from "./domain/guarded-write.ts";
export { idempotencyKey, type KeyChoice, keyChoiceOf } from "./domain/idempotency-key.ts";
export { stepOfRun } from "./domain/items.ts";
export { HIDDEN, type Job, type ReplyAddress, withHiddenSecrets, withoutSecrets } from "./domain/job.ts";
export { sourceOf } from "./domain/list-source.ts";
export { newStateRecord } from "./domain/new-state-record.ts";
export { NewerSchema } from "./domain/newer-schema.ts";
export { outputOf } from "./domain/news.ts";
export { courseOf, type Decision } from "./domain/next-attempt.ts";
export { OPEN_ERRORS } from "./domain/open-errors.ts";
export { decide } from "./domain/operator.ts";
export type { OperatorAction } from "./domain/operator-action.ts";
export { OtherVersionNeeded, Outage } from "./domain/outage.ts";
export { isWanted } from "./domain/outputs.ts";
export { owed, retryOf } from "./domain/owed.ts";
export { decideDeadline, passDeadline } from "./domain/pass-deadline.ts";
export { isInHand, isTakenUp, mayHaveHadEffect, pausesOf, runOf, runsInHand } from "./domain/plan.ts";
export type { Poll } from "./domain/poll.ts";
export { type UnknownOutcome, unknownOutcomes } from "./domain/record-outcome.ts";
export { decideRecovery, recover } from "./domain/recovery.ts";
export { secretValuesOf } from "./domain/redactor.ts";
export { isOver } from "./domain/retention.ts";
export { SKIP_CAUSES } from "./domain/skipped.ts";
export { type Snapshot, snapshotOf } from "./domain/snapshot.ts";
export {
  attemptId,
  type CompensationTarget,
  type Direction,
  type EndState,
  ERROR_KINDS,
  type Expiry,
  hasEnded,
  holderId,
  type JobError,
  type JobStatus,
  NOT_STARTED,
  type OutboxMessage,
  PROCESS_STATES,
  type ProcessState,
  RECORD_VERSION,
  type ReadResult,
  type ReadResults,
  type StateRecord,
  type StepRecord,
  type StepResult,
  type StepRun,
  type StepState,
  type Steps,
} from "./domain/state-record.ts";
export { expiresAt } from "./domain/step-run.ts";
export { inWords, messageOf } from "./domain/thrown.ts";
export { transitions } from "./domain/transitions.ts";
export { underlyingError } from "./domain/underlying-error.ts";
export { isToBeLookedAt } from "./domain/unrecovered.ts";
export type { AnyVerdict } from "./domain/verdicts.ts";
export { WAIT_REASONS, type Wait, waitInWords } from "./domain/wait.ts";
export {
  type OpenStep,
  SWEEP_GRACE_MS,
  type WaitContext,
  type WaitingJob,
  waitingJobOf,
  waitsOf,
} from "./domain/waiting.ts";
export {
  type FailureBudget,
  type JobDeadline,
  LONGEST_STEP_MS,
  levelsOf,
  policyFor,
  type RecoveryPolicy,
  START_WITHIN,
  type Workflow,
  type WorkflowRef,
  type WorkflowStep,
} from "./domain/workflow.ts";
export { itemsOf, NO_RULES, type WorkflowRules } from "./domain/workflow-rules.ts";
export { MissingWorkflow, offered, type Workflows } from "./domain/workflows.ts";
