// Public entry `core/create-app`: creates the app for its functions, and connects to the services below it, for the desk and for tests. It loads Azure's
// SDKs, which takes longer than most commands. If you need only the declarations, import `core/app`.
export { versionsInUse } from "./app/check-workflows.ts";
export type { Composed, Tuning } from "./app/compose.ts";
export { blobsOf, cosmosOf, credentialOf, serviceBusOf } from "./app/connections.ts";
export { type App, createApp } from "./app/create-app.ts";
export { createBusSenders } from "./messaging/bus-senders.ts";
export { createServiceBusMessenger } from "./messaging/service-bus-messenger.ts";
export { type ArchivedJob, ArchiveUnavailable, createBlobJobArchive } from "./store/blob-job-archive.ts";
export { createCosmosAuditLog } from "./store/cosmos-audit-log.ts";
export { createCosmosHttpClient } from "./store/cosmos-http-client.ts";
export { createCosmosJobStore, type JobsContainer } from "./store/cosmos-job-store.ts";
export { documentPath } from "./store/guarded-patch.ts";
export { createCosmosPauseStore } from "./store/pause-store.ts";
export { createCosmosWorkflowRegister } from "./store/workflow-register.ts";
export { createBlobLeadership } from "./supervisor/blob-leadership.ts";
