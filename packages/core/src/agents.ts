// Public entry `core/agents`: for the file of an agent, and for whoever calls agents (P6).
export type {
  Agent,
  AgentCall,
  AgentReply,
  AgentRequest,
  Authentication,
  BoundedReply,
  Bounds,
  Endpoint,
  Find,
  Finding,
  JobView,
  LastError,
  Operation,
  OperationPolicy,
  Pending,
  Poll,
  RoutedAgent,
  Start,
} from "./agents/agent.ts";
export { type Authenticators, authenticateAll } from "./agents/authentication.ts";
export { bounded } from "./agents/bounds.ts";
export type { AnswerBody } from "./agents/http-exchange.ts";
export {
  callService,
  idIn,
  keepId,
  type LookUp,
  lookUp,
  notYet,
  type ServiceCall,
  serviceId,
  whatToCompensate,
} from "./agents/http-service.ts";
export { type RouteOptions, routeAgent } from "./agents/route-agent.ts";
export { ANSWERS, type AnswerRow, type AnswerRule } from "./agents/service-answers.ts";
export {
  type AskPolicy,
  type Asks,
  idAs,
  type Kept,
  type ServiceQuery,
  type ServiceRequest,
  statusAs,
} from "./agents/service-request.ts";
export {
  type AgentResources,
  type AnyAgent,
  defineAgent,
  defineRemoteAgent,
  type LocalAgent,
  type OwnReplies,
  type RecordedResults,
  type RemoteAgent,
  type ResultSchemas,
  type ResultsOf,
  type SchemasOf,
  type Service,
  type ServiceAgent,
} from "./app/define-agent.ts";
export { defineLocalAgent, type LocalReply, Rejected, reject, rule } from "./app/define-local-agent.ts";
export type { CompensationTarget, Completion, ReadResult, StepResult } from "./domain/record/state-record.ts";
export type { NamedStep, ReadEnd, StepEnded } from "./scheduler/steps/report-by-key.ts";
export { contentDigest } from "./submission/content-digest.ts";
