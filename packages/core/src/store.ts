// Public entry `core/store`: the ports of the state store and the audit log, and their values, for desk, test kit and commands.
export {
  type AgentHealthStore,
  type EndpointReport,
  type InstanceReport,
  REPORT_LASTS_S,
} from "./store/agent-health-store.ts";
export {
  type ActionEntry,
  type AuditLog,
  type DecisionEntry,
  dayOfSweep,
  type LateReply,
  lateReplyId,
  type SupervisionEntry,
} from "./store/audit-log.ts";
export { CONTAINERS, DATABASE } from "./store/containers.ts";
export {
  type ClosingStore,
  type Created,
  entityTag,
  isWantedVersion,
  type JobStore,
  NotStorable,
  OVER,
  type Span,
  StoreUnavailable,
  type WantedVersion,
  type Written,
} from "./store/job-store.ts";
export type { Pause, PauseStore, Watch } from "./store/pause-store.ts";
export { type Document, recordOf, shownRecord } from "./store/record-versions.ts";
export { remembered } from "./store/remembered.ts";
export type { WorkflowRegister } from "./store/workflow-register.ts";
