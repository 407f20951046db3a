// Public entry `testing/memory`: the parts of a world and of the model checker, for tests of the packages and for the simulator.
export { createMemoryAuditLog } from "./memory/memory-audit-log.ts";
export { type EngineOptions, MemoryEngine, type WorldEngine } from "./memory/memory-engine.ts";
export { createMemoryJobStore, type MemoryJobStore } from "./memory/memory-job-store.ts";
export { createMemoryLease } from "./memory/memory-leadership.ts";
export { createMemoryPauses } from "./memory/memory-pauses.ts";
export { createMemoryPresence } from "./memory/memory-presence.ts";
export { exploreStates, type Finding } from "./model/explorer.ts";
export { Model } from "./model/model.ts";
export { runOrchestration, type TaskEvent } from "./model/orchestration-run.ts";
export { EVENT, type HistoryEvent } from "./replay/orchestration-history.ts";
export { type Begun, createSteppedWorld, createWorldOn, type SteppedWorld } from "./world/create-world.ts";
export { type InFlight, Processes, SCHEDULER, SUBMISSION, SUPERVISOR } from "./world/processes.ts";
export { recordJob, submitJob } from "./world/world-submissions.ts";
