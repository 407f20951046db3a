// Public entry `testing/faults`: fault runs of an app's own workflows on the local stack: the host is killed, and services fail (P16, P20).
export { actorOf, essential } from "./faults/choice.ts";
export { runningAttempts } from "./faults/evidence.ts";
export { restFaults } from "./faults/judge.ts";
export { type Life, type Lived, live, type Scenario } from "./faults/lives.ts";
export { ANY_JOB, type Arm } from "./faults/probe-point.ts";
export { publishedFaults } from "./faults/published.ts";
export { describeLife, describeRun } from "./faults/report.ts";
export { type Rig, startRig } from "./faults/rig.ts";
export {
  type FaultLife,
  type FaultRun,
  type FaultStack,
  type FaultStart,
  type FaultsOptions,
  runFaults,
} from "./faults/run.ts";
