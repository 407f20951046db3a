// Public entry `testing`: the test kit for an app's own workflows (P20).

export type { Unseen } from "./model/coverage.ts";
export { type Exploration, type ExploreOptions, explore } from "./model/explore.ts";
export { type ReplayOutcome, replay, type StoredEvent } from "./replay/replay.ts";
export { type ReplayedFile, replayFiles } from "./replay/replay-files.ts";
export type {
  Handler,
  LaterReport,
  Outcome,
  ScriptedService,
  ServiceAnswer,
  ServiceCall,
  ServiceRequest,
} from "./services/scripted-service.ts";
export type { ServiceFault } from "./services/service-faults.ts";
export {
  type CheckedOperationReport,
  checkService,
  type ServiceCheckOptions,
} from "./services-check/check-service.ts";
export { createWorld, type RunOptions, type Submitted, type World, type WorldOptions } from "./world/create-world.ts";
export type { Simulated } from "./world/world-services.ts";
