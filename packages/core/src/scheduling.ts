// Public entry `core/scheduling`: what the scheduler does with a job, over its ports.
export { type AgentPresence, createAgentPresence } from "./scheduler/agent-presence.ts";
export { answerRequest } from "./scheduler/answer-request.ts";
export { askAgent } from "./scheduler/ask-agent.ts";
export { changePause } from "./scheduler/change-pause.ts";
export { claimJob } from "./scheduler/claim-job.ts";
export { COMPLETIONS_PATH, completionUrl, parseReport, type Report } from "./scheduler/completion.ts";
export { findProgress } from "./scheduler/find-progress.ts";
export { type Caller, decisionContextOf, type Operated, operateJob, workflowOf } from "./scheduler/operate-job.ts";
export { type Pauses, WorkflowPaused } from "./scheduler/pauses.ts";
export { pollStep } from "./scheduler/poll-step.ts";
export type { Context, Ports, Telemetry, Timing } from "./scheduler/ports.ts";
export { completionsOf } from "./scheduler/publish.ts";
export { publishEndOf } from "./scheduler/publish-end.ts";
export { type Reported, reportStep } from "./scheduler/report-step.ts";
export { runStep } from "./scheduler/run-step.ts";
export { runSteps } from "./scheduler/run-steps.ts";
export {
  type OrchestrationClient,
  reportEnd,
  SCHEDULER,
  startClaimed,
  startOnce,
} from "./scheduler/scheduler-client.ts";
export { takeReply, takeReport } from "./scheduler/take-reply.ts";
export { writeAuditLog } from "./scheduler/write-audit-log.ts";
