// Public entry `core/messaging`: contracts, requests and messages as they are read and sent, for desk, test kit and commands.
export {
  type Address,
  type AgentReplyMessage,
  type AgentRequestMessage,
  parseAgentReply,
  requestId,
} from "./messaging/agent-messages.ts";
export type { BusSenders } from "./messaging/bus-senders.ts";
export { type Checked, check, checkJson, checkQuery } from "./messaging/checked.ts";
export {
  allKeys,
  allSecrets,
  contentSchemaOf,
  contractFor,
  contractOf,
  contractQuery,
  idNameOf,
  idOf,
  jobIdIn,
  resultSchemaOf,
} from "./messaging/contract.ts";
export {
  ABOUT_JOB,
  BODY_BYTES,
  CAME_BY,
  EXPIRES_AT,
  FAULT_COUNT,
  HIDES_IDS,
  SENT_SUBJECT,
  SHOWN_FAULT,
  timeLeft,
  withoutQuarantine,
} from "./messaging/message-copy.ts";
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
  extension,
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
export { shownJobId, shownMessage } from "./messaging/shown-message.ts";
