// The app as its functions use it: a business with the settings of one process, composed at its first use.

import type { Context, Ports, Telemetry } from "../scheduler/ports.ts";
import type { OwnedQueue } from "../submission/owned-queue.ts";
import type { TelemetrySettings } from "../telemetry/exporters.ts";
import { type Composed, composePattern, type Tuning } from "./compose.ts";
import { type Environment, parseConfig, parseTelemetryConfig, parseTriggers } from "./config.ts";
import type { Business } from "./define-app.ts";
import type { OperatorSignIn } from "./setting-types.ts";
import { functionTimeoutOf, startFaults } from "./start-faults.ts";

/** The app for the functions. Each method composes the app at its first call, and throws one error that names all faults of the settings. */
export interface App {
  readonly business: Business;
  /** The settings of the telemetry. */
  readonly telemetrySettings: TelemetrySettings;
  /** How the operator API identifies its callers. */
  readonly operatorSignIn: OperatorSignIn;
  /** The submission queues of one sender each: each has a function. */
  readonly submissionQueues: readonly OwnedQueue[];
  /** The faults of the settings and the workflows, with the solution for each; empty if the app can run. */
  startFaults(): readonly string[];
  ports(): Ports;
  /** The context of one invocation. */
  contextOf(telemetry: Telemetry): Context;
  /** The queue for the replies to this host's attempts. */
  repliesQueue(): string;
  /** The workflows, and the register of their versions. */
  workflowPorts(): Composed["workflows"];
  /** The progress of housekeeping. */
  purgeProgress(): Composed["purgeProgress"];
  /** What the ports are made of: for another package of functions on the same app. */
  composed(): Composed;
}

/**
 * Creates the app for its functions. It reads at once the settings that the functions' triggers and the telemetry need.
 * @throws one error that names each of those settings that is at fault
 */
export function createApp(business: Business, environment: Environment, tuning: Tuning = {}): App {
  const triggers = parseTriggers(environment);
  const telemetrySettings = parseTelemetryConfig(environment);
  let made: Composed | undefined;
  const composed = () => {
    made ??= composePattern(
      business,
      parseConfig(environment, business),
      telemetrySettings,
      functionTimeoutOf(environment),
      tuning,
    );
    return made;
  };
  const ports = () => composed().ports;
  return {
    business,
    telemetrySettings,
    operatorSignIn: triggers.OperatorSignIn,
    submissionQueues: triggers.SubmissionQueues,
    startFaults: () => startFaults(business, environment),
    ports,
    contextOf: (telemetry) => ({ ...ports(), telemetry }),
    repliesQueue: () => composed().config.AgentRepliesQueue,
    workflowPorts: () => composed().workflows,
    purgeProgress: () => composed().purgeProgress,
    composed,
  };
}
