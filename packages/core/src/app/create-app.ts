// The app as its functions use it: a business on the settings of one process, put together when it is first asked for.

import type { OwnedQueue } from "../domain/owned-queue.ts";
import type { AgentTeam } from "../messaging/agent-teams.ts";
import type { OperatorSignIn } from "../messaging/operator-access.ts";
import type { GaugePorts } from "../operations/measure-gauges.ts";
import type { Context, Ports, Telemetry } from "../operations/ports.ts";
import type { TelemetrySettings } from "../telemetry/start.ts";
import { compose } from "./compose.ts";
import type { Composed } from "./composed.ts";
import { type Environment, parseConfig, parseTelemetryConfig, parseTriggers } from "./config.ts";
import type { Business } from "./define-app.ts";
import { startFaults } from "./start-faults.ts";

/** What the functions work with. Whatever is a function here puts the app together at its first call, and throws one error that names all that is wrong with the settings. */
export interface App {
  readonly business: Business;
  /** What every job's telemetry goes by. */
  readonly telemetrySettings: TelemetrySettings;
  /** How the operators' API knows who asks. */
  readonly operatorSignIn: OperatorSignIn;
  /** The submission queues of one sender each, and the teams with a reply queue each: each has a function. */
  readonly submissionQueues: readonly OwnedQueue[];
  readonly agentTeams: readonly AgentTeam[];
  /** All that is wrong with the settings and the workflows, in words, with the way out; empty where the app can run. */
  startFaults(): readonly string[];
  ports(): Ports;
  /** What one invocation works with. */
  contextOf(telemetry: Telemetry): Context;
  /** The app's own queues. */
  queueNames(): Composed["queues"];
  /** The workflows as they are written, and the register of their versions. */
  workflowPorts(): Composed["workflows"];
  /** What erases a job. */
  erasurePorts(): Pick<Composed, "closing" | "discarded">;
  /** How far housekeeping has come. */
  purgeProgress(): Composed["purgeProgress"];
  /** What the gauges are read from. */
  gaugePorts(): GaugePorts;
  /** What the operators' console is answered from. */
  consolePorts(): Composed["console"];
  /** What operators see to dead letters with; connects when it is first asked for. */
  deadLetterPorts(): ReturnType<Composed["deadLetters"]>;
  /** What actions on many jobs stand on. */
  bulkPorts(): Composed["bulk"];
}

/**
 * Puts the app together for its functions. Reads at once what the functions' triggers and the telemetry need, which are known before anything else.
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
