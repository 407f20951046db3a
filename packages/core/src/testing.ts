// Public entry `core/testing`: the test kit for an app's own workflows (P20).
export { createWorld, type RunOptions, type Submitted, type World, type WorldOptions } from "./testing/create-world.ts";
export { type Exploration, type ExploreOptions, explore } from "./testing/explore.ts";
export { type ReplayOutcome, replay, type StoredEvent } from "./testing/replay.ts";
export { type ReplayedFile, replayFiles } from "./testing/replay-files.ts";
export type {
  Handler,
  LaterReport,
  Outcome,
  ScriptedService,
  ServiceAnswer,
  ServiceCall,
  ServiceRequest,
} from "./testing/scripted-service.ts";
