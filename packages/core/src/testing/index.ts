// The test kit for apps (P20): what a team tests its own workflows with.
export { createWorld, type RunOptions, type Submitted, type World, type WorldOptions } from "./create-world.ts";
export { type Exploration, type ExploreOptions, explore } from "./explore.ts";
export { type ReplayOutcome, replay, type StoredEvent } from "./replay.ts";
export type {
  Handler,
  LaterReport,
  Outcome,
  ScriptedService,
  ServiceAnswer,
  ServiceCall,
  ServiceRequest,
} from "./scripted-service.ts";
