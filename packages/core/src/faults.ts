// Public entry `core/faults`: an app's own workflows on the local stack, with its host killed and its services failing (P16, P20).
export { describeLife, describeRun } from "./faults/report.ts";
export {
  type FaultLife,
  type FaultRun,
  type FaultStack,
  type FaultStart,
  type FaultsOptions,
  runFaults,
} from "./faults/run.ts";
