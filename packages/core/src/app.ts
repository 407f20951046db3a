// Public entry `core/app`: for an app's author and its commands: contracts, the app's declarations, its settings and queues, and the faults found before
// it starts (P1, P5, P6).
export { parseEndpoints } from "./agents/endpoint-list.ts";
export {
  type CheckedOperation,
  type CheckedService,
  type CheckedServices,
  type CheckVerdict,
  type ServiceCheck,
  verdictFaults,
} from "./app/checked-services.ts";
export { type Config, type Environment, parseConfig, settingsOf, withAuthentication } from "./app/config.ts";
export { type AgentEndpoints, type AppDefinition, type Business, defineApp } from "./app/define-app.ts";
export { createHealthReports } from "./app/report-health.ts";
export { type OperatorSignIn, schedule } from "./app/setting-types.ts";
export { startFaults } from "./app/start-faults.ts";
export type { BusinessKeys, Job, Priority } from "./domain/content/job.ts";
export {
  type Contract,
  type Contracts,
  defineContract,
  jobId,
  jobMembers,
  type TypedContract,
} from "./messaging/contract.ts";
export { QUEUES, REPLY_QUEUES, requestsQueueOf } from "./messaging/queues.ts";
