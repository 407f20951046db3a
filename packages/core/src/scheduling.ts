// Public entry `core/scheduling`: what submission, scheduler and supervisor do with a job, over their ports, for desk and test kit.
export { NO_BACKLOG } from "./scheduler/admission/admission.ts";
export { type AgentPresence, createAgentPresence } from "./scheduler/admission/agent-presence.ts";
export { createPauses, type Pauses } from "./scheduler/admission/pauses.ts";
export { claimJob } from "./scheduler/claim-job.ts";
export { changePause } from "./scheduler/operating/change-pause.ts";
export {
  type Caller,
  decisionContextOf,
  type Operated,
  operateJob,
  workflowOf,
} from "./scheduler/operating/operate-job.ts";
export { type Reported, reportStep } from "./scheduler/operating/report-step.ts";
export type { Context, Ports, Telemetry } from "./scheduler/ports.ts";
export { publishEndOf } from "./scheduler/publishing/publish.ts";
export { scheduler } from "./scheduler/scheduler.ts";
export {
  type OrchestrationClient,
  readProgress,
  reportEnd,
  SCHEDULER,
  startClaimed,
  startOnce,
} from "./scheduler/scheduler-client.ts";
export { answerRequest } from "./scheduler/steps/answer-request.ts";
export { askAgent } from "./scheduler/steps/ask-agent.ts";
export {
  COMPLETIONS_PATH,
  completionUrl,
  parseReport,
  REPORT_LIMIT,
  type Report,
} from "./scheduler/steps/completion.ts";
export { pollService } from "./scheduler/steps/poll-service.ts";
export { reportByKey } from "./scheduler/steps/report-by-key.ts";
export { runStep, runSteps } from "./scheduler/steps/run-step.ts";
export { takeReply, takeReport } from "./scheduler/steps/take-reply.ts";
export { writeAuditLog } from "./scheduler/write-audit-log.ts";
export { claimFirst, quarantineSubmission, readSubmission, recordSubmission } from "./submission/record-submission.ts";
export { parseSubmission, type SubmittedMessage } from "./submission/submission-message.ts";
export { takeCancellation } from "./submission/take-cancellation.ts";
export { createAbsences } from "./supervisor/absences.ts";
export { STILL_PUBLISHED_MS } from "./supervisor/close-jobs.ts";
export { LEASE_BLOB, LEASE_CONTAINER, STORAGE_RETRY } from "./supervisor/connect.ts";
export { type Leadership, LeadershipUnavailable } from "./supervisor/leadership.ts";
export { sweep, sweepFor } from "./supervisor/sweep.ts";
