// Public entry `testing`: the test kit for an app's own workflows and services (P20).
export type { Unseen } from "./model/coverage.ts";
export { type Exploration, type ExploreOptions, explore } from "./model/explore.ts";
export { type ReplayOutcome, replay, type StoredEvent } from "./replay/replay.ts";
export { type ReplayedFile, replayFiles } from "./replay/replay-files.ts";
export {
  type Handler,
  type LaterReport,
  type Outcome,
  type ScriptedService,
  Service,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceRequest,
} from "./services/scripted-service.ts";
export type { ServiceFault } from "./services/service-faults.ts";
export { type CheckedOperationReport, checkService, type ServiceCheckOptions } from "./services-check/check-service.ts";
export type { AskByQueue } from "./services-check/worker-caller.ts";
export { createWorld, type RunOptions, type Submitted, type World, type WorldOptions } from "./world/create-world.ts";
export type { Simulated } from "./world/world-services.ts";
