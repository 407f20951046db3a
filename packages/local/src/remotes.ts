// Public entry `local/remotes`: simulated remote services, in this process or in memory, and their faults.
export type { RemoteService, SimulatedRequest } from "./remotes/definition.ts";
export { FAULT_HEADERS, FAULT_KEY } from "./remotes/fault-key.ts";
export {
  type InMemoryAnswer,
  type InMemoryRequest,
  type InMemoryService,
  inMemoryServices,
} from "./remotes/in-memory.ts";
export { type RemotesOptions, type RunningRemotes, startRemotes } from "./remotes/start.ts";
