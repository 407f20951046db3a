// The app as its functions use it: a business with the settings of one process, composed at its first use.

import type { AgentTeam } from "../messaging/agent-teams.ts";
import type { OperatorSignIn } from "../messaging/operator-access.ts";
import type { GaugePorts } from "../operations/measure-gauges.ts";
import type { Context, Ports, Telemetry } from "../scheduler/ports.ts";
import type { OwnedQueue } from "../submission/owned-queue.ts";
import type { TelemetrySettings } from "../telemetry/start.ts";
import { compose } from "./compose.ts";
import type { Composed } from "./composed.ts";
import { type Environment, parseConfig, parseTelemetryConfig, parseTriggers } from "./config.ts";
import type { Business } from "./define-app.ts";
import { startFaults } from "./start-faults.ts";

/** The app for the functions. Each method composes the app at its first call, and throws one error that names all faults of the settings. */
export interface App {
  readonly business: Business;
  /** The settings of the telemetry. */
  readonly telemetrySettings: TelemetrySettings;
  /** How the operator API identifies its callers. */
  readonly operatorSignIn: OperatorSignIn;
  /** The submission queues of one sender each, and the teams with a reply queue each: each has a function. */
  readonly submissionQueues: readonly OwnedQueue[];
  readonly agentTeams: readonly AgentTeam[];
  /** The faults of the settings and the workflows, with the solution for each; empty if the app can run. */
  startFaults(): readonly string[];
  ports(): Ports;
  /** The context of one invocation. */
  contextOf(telemetry: Telemetry): Context;
  /** The app's own queues. */
  queueNames(): Composed["queues"];
  /** The workflows, and the register of their versions. */
  workflowPorts(): Composed["workflows"];
  /** The ports for erasing a job. */
  erasurePorts(): Pick<Composed, "closing" | "discarded">;
  /** The progress of housekeeping. */
  purgeProgress(): Composed["purgeProgress"];
  /** The ports of the gauges. */
  gaugePorts(): GaugePorts;
  /** The ports of the operators' console. */
  consolePorts(): Composed["console"];
  /** The ports for dead letters; connects at the first call. */
  deadLetterPorts(): ReturnType<Composed["deadLetters"]>;
  /** The ports for actions on many jobs. */
  bulkPorts(): Composed["bulk"];
}

/**
 * Creates the app for its functions. It reads at once the settings that the functions' triggers and the telemetry need.
 * @throws one error that names each of those settings that is at fault
 */
export function createApp(business: Business, environment: Environment): App {
  const triggers = parseTriggers(environment);
  const telemetrySettings = parseTelemetryConfig(environment);
  let made: Composed | undefined;
  const composed = () => {
    made ??= compose(business, parseConfig(environment, business), telemetrySettings);
    return made;
  };
  const ports = () => composed().ports;
  return {
    business,
    telemetrySettings,
    operatorSignIn: triggers.OperatorSignIn,
    submissionQueues: triggers.SubmissionQueues,
    agentTeams: triggers.AgentTeams,
    startFaults: () => startFaults(business, environment),
    ports,
    contextOf: (telemetry) => ({ ...ports(), telemetry }),
    queueNames: () => composed().queues,
    workflowPorts: () => composed().workflows,
    erasurePorts: () => composed(),
    purgeProgress: () => composed().purgeProgress,
    gaugePorts: () => composed().stock,
    consolePorts: () => composed().console,
    deadLetterPorts: () => composed().deadLetters(),
    bulkPorts: () => composed().bulk,
  };
}
