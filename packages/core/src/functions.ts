// Public entry `core/functions`: the handlers of an app's functions, and what other packages' functions share with them. It loads Azure's SDKs.
export { agentReplies } from "./functions/agent-replies.ts";
export { agentRequests } from "./functions/agent-requests.ts";
export { agentActivity, askAgentActivity } from "./functions/agents.ts";
export { atFault, noSuchJob } from "./functions/answers.ts";
export { COMPLETIONS_ROUTE, completeStep } from "./functions/completions.ts";
export { engineClient } from "./functions/engine-client.ts";
export { housekeeping } from "./functions/housekeeping.ts";
export { ownReplies } from "./functions/own-replies.ts";
export { findProgress, pollStep, publishEnd } from "./functions/scheduler-activities.ts";
export { accessTo, seesSecrets } from "./functions/sign-in.ts";
export {
  type ApiRoute,
  type ApiRoutes,
  type HttpFunctions,
  signedInFunctions,
} from "./functions/signed-in-function.ts";
export { startAttempt } from "./functions/start-attempt.ts";
export { submission } from "./functions/submission.ts";
export { submissionsByHttp } from "./functions/submissions-by-http.ts";
export { releaseLead, supervisor } from "./functions/supervisor.ts";
export { telemetryHooks } from "./functions/telemetry.ts";
export { BOUND_AS_BYTES, functionName, QUEUES, requestsQueueOf } from "./functions/work-on-message.ts";
export { checkApp } from "./functions/workflows.ts";
export { scheduler } from "./scheduler/scheduler.ts";
