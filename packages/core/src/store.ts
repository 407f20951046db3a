// Public entry `core/store`: the ports of the state store and the audit log, and their values.
export { type AgentHealthStore, REPORT_LASTS_S } from "./store/agent-health-store.ts";
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
export { createCosmosJobStore } from "./store/cosmos-job-store.ts";
export { documentPath } from "./store/document-path.ts";
export {
  type ClosingStore,
  type Created,
  type JobStore,
  NotStorable,
  OVER,
  type Span,
  StoreUnavailable,
  type Versioned,
  type Written,
} from "./store/job-store.ts";
export type { Pause, Watch } from "./store/pause-store.ts";
export { type Document, recordOf } from "./store/record-versions.ts";
export { remembered } from "./store/remembered.ts";
export { shownRecord } from "./store/stored-record.ts";
export { entityTag, isWantedVersion, type WantedVersion } from "./store/wanted-version.ts";
