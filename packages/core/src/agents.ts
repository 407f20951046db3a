// Public entry `core/agents`: for the file of an agent (P6).
export type {
  AgentCall,
  AgentReply,
  AgentRequest,
  Authentication,
  BoundedReply,
  Bounds,
  Find,
  Finding,
  JobView,
  Operation,
  OperationPolicy,
  Pending,
  Poll,
  RoutedAgent,
  Start,
} from "./agents/agent.ts";
export {
  type Answer,
  callService,
  keepId,
  keepStatus,
  type LookUp,
  lookUp,
  notYet,
  referenceId,
  type ServiceCall,
  serviceId,
  statusResult,
  whatToCompensate,
} from "./agents/http-service.ts";
export type { AnswerRule } from "./agents/service-answers.ts";
export {
  type AgentResources,
  type AnyAgent,
  defineAgent,
  defineLocalAgent,
  defineRemoteAgent,
  type LocalAgent,
  type RemoteAgent,
  type ResultSchemas,
  type ResultsOf,
  type Service,
  type ServiceAgent,
} from "./app/define-agent.ts";
export type { CompensationTarget, Completion, ReadResult, StepResult } from "./domain/state-record.ts";
