// Public entry `operator/adapters`: the desk's own access to Cosmos DB, Service Bus and blobs, for tests on the real ones.
export { type DeadLetterRequest, parseDeadLetterRequest } from "./messaging/dead-letter-request.ts";
export {
  type DeadLetterSummary,
  type DeadLetters,
  deadLetterQueuesOf,
  type ReadDeadLetter,
  type Taken,
  type TakenDeadLetter,
} from "./messaging/dead-letters.ts";
export { parseListRequest } from "./messaging/list-request.ts";
export { createQueueAge, type OldestMessage, type QueueAge } from "./messaging/queue-ages.ts";
export { createServiceBusDeadLetters } from "./messaging/service-bus-dead-letters.ts";
export { parseAuditLogQuery, parseSweepQuery } from "./messaging/supervisor-request.ts";
export { createAgentHealth } from "./operations/agent-health.ts";
export { createAttention } from "./operations/attention.ts";
export { createAwaiting } from "./operations/awaiting.ts";
export { countDeadLetters } from "./operations/count-dead-letters.ts";
export { resendDiscarded } from "./operations/discarded-messages.ts";
export { eraseJob } from "./operations/erase-job.ts";
export { findJobs } from "./operations/find-jobs.ts";
export { type Handled, handleDeadLetter } from "./operations/handle-dead-letter.ts";
export { createHeldUp } from "./operations/held-up.ts";
export { inspectJob } from "./operations/inspect-job.ts";
export { keepBulkRunning } from "./operations/keep-bulk-running.ts";
export { type GaugePorts, measureGauges } from "./operations/measure-gauges.ts";
export { changeBulk, watchBulk } from "./operations/operate-bulk.ts";
export { type BulkPorts, previewBulk } from "./operations/preview-bulk.ts";
export { runBulk } from "./operations/run-bulk.ts";
export { createTraffic } from "./operations/traffic.ts";
export { createWaitingMessages } from "./operations/waiting-messages.ts";
export { type BulkStore, createCosmosBulkStore, type StoredBulkRun } from "./store/bulk-store.ts";
export { type DiscardedStore, discardedId } from "./store/discarded-store.ts";
export { createJobGauges } from "./store/job-gauges.ts";
export { type JobQuery, listedJobsOf, listedOf } from "./store/job-list.ts";
export { isListed } from "./store/job-query.ts";
export { createJobSearch, type JobSearch } from "./store/job-search.ts";
export { createOpenErrorCounts } from "./store/open-error-counts.ts";
export { createOpenJobStore } from "./store/open-jobs.ts";
export { createRecentJobs, type RecentJobs } from "./store/recent-jobs.ts";
export { createWaitingJobs } from "./store/waiting-jobs.ts";
export { createGaugesSigns } from "./supervision/gauges-signs.ts";
export { createSupervisionReader, type JobAuditPage, type StoredAuditEntry } from "./supervision/read-supervision.ts";
export { createReportStore } from "./supervision/report-blob.ts";
