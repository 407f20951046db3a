// Public entry `operator/adapters`: the desk's own access to Cosmos DB, Service Bus and blobs, for tests on the real ones.
export { deadLetterQueuesOf } from "./messaging/dead-letters.ts";
export { parseListRequest } from "./messaging/list-request.ts";
export { createQueueAge, type OldestMessage } from "./messaging/queue-ages.ts";
export { createServiceBusDeadLetters } from "./messaging/service-bus-dead-letters.ts";
export { parseAuditLogQuery, parseSweepQuery } from "./messaging/supervisor-request.ts";
export { createAwaiting } from "./operations/awaiting.ts";
export { createHeldUp } from "./operations/held-up.ts";
export { inspectJob } from "./operations/inspect-job.ts";
export { createCosmosBulkStore, type StoredBulkRun } from "./store/bulk-store.ts";
export { createJobGauges } from "./store/job-gauges.ts";
export { createJobSearch, type JobSearch } from "./store/job-search.ts";
export { createOpenErrorCounts } from "./store/open-error-counts.ts";
export { createOpenJobStore } from "./store/open-jobs.ts";
export { createRecentJobs } from "./store/recent-jobs.ts";
export { createWaitingJobs } from "./store/waiting-jobs.ts";
export { createGaugesSigns } from "./supervision/gauges-signs.ts";
export { createSupervisionReader, type JobAuditPage, type StoredAuditEntry } from "./supervision/read-supervision.ts";
export { createReportStore } from "./supervision/report-blob.ts";
