// Public entry `testing/faults`: fault runs of an app's own workflows on the local stack: the host is killed, and services fail (P16, P20).
export { describeLife, describeRun } from "./faults/report.ts";
export {
  type FaultLife,
  type FaultRun,
  type FaultStack,
  type FaultStart,
  type FaultsOptions,
  runFaults,
} from "./faults/run.ts";
