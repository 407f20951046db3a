// Public entry `core/functions`: the handlers of an app's functions, and what other packages' functions share with them. It loads Azure's SDKs.
export { agentActivity, agentReplies, agentRequests, askAgentActivity, ownReplies } from "./functions/agents.ts";
export { COMPLETIONS_ROUTE, completeStep } from "./functions/completions.ts";
export { engineClient } from "./functions/engine-client.ts";
export { checkApp, telemetryHooks } from "./functions/hooks.ts";
export { fromQueue, functionName } from "./functions/receive.ts";
export { findProgress, onStartAttempt, pollStep, publishEnd } from "./functions/scheduler.ts";
export { accessTo, seesSecrets } from "./functions/sign-in.ts";
export {
  type ApiRoute,
  type ApiRoutes,
  atFault,
  type HttpFunctions,
  noSuchJob,
  signedInFunctions,
} from "./functions/signed-in-function.ts";
export { onSubmission } from "./functions/submission.ts";
export { submissionsByHttp } from "./functions/submissions-by-http.ts";
export { housekeeping, releaseLead, supervisor } from "./functions/supervisor.ts";
