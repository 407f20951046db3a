// Public entry `core/messaging`: contracts, requests and messages as they are read and sent.
export {
  type Address,
  type AgentReplyMessage,
  type AgentRequestMessage,
  parseAgentReply,
} from "./messaging/agent-messages.ts";
export type { BusSenders } from "./messaging/bus-senders.ts";
export { CAME_BY } from "./messaging/came-by.ts";
export { type Checked, check, checkJson, checkQuery } from "./messaging/checked.ts";
export {
  allKeys,
  allSecrets,
  contentSchemaOf,
  contractFor,
  contractOf,
  contractQuery,
  resultSchemaOf,
} from "./messaging/contract.ts";
export { extension } from "./messaging/extension.ts";
export { memberRedactorOf, withoutFound } from "./messaging/hidden-members.ts";
export { idNameOf, idOf, jobIdIn } from "./messaging/job-id.ts";
export { timeLeft } from "./messaging/message-copy.ts";
export {
  FIRST_ENQUEUED_AT,
  MessageExpired,
  type Messenger,
  POSTPONE_CAUSE,
  type Published,
  type Rejection,
  type StatusMessage,
  type Unreadable,
} from "./messaging/messenger.ts";
export {
  type ActionName,
  erasureBody,
  type OperatorRequest,
  operatorBodies,
  outcomeBody,
  type Parsed,
  parseErasure,
  parseOperatorRequest,
  parseStepOutcome,
  parseStepReport,
  reportBody,
  type StepReport,
} from "./messaging/operator-request.ts";
export { ENVELOPE_TEXTS } from "./messaging/property-sizes.ts";
export { BODY_BYTES, EXPIRES_AT, SENT_SUBJECT, withoutQuarantine } from "./messaging/quarantined-message.ts";
export { QUEUES, requestsQueueOf } from "./messaging/queues.ts";
export type { Found } from "./messaging/visible-members.ts";
