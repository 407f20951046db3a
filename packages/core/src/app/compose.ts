// Composes the pattern: creates its ports from the settings, once for each process.

import { randomUUID } from "node:crypto";
import type { Container, Database } from "@azure/cosmos";
import type { BreakerOptions } from "../agents/circuit-breaker.ts";
import { type HostTimeout, LONGEST_STEP_MS, type Workflow } from "../domain/definition/workflow.ts";
import { instant } from "../domain/duration.ts";
import { sleep } from "../domain/timer.ts";
import { offered } from "../domain/workflows/workflows.ts";
import { type BusSenders, createBusSenders, ONE_TRY } from "../messaging/bus-senders.ts";
import { haveFairnessKeys, idNameOf } from "../messaging/contract.ts";
import { createOriginalMessages, type OriginalMessages } from "../messaging/original-messages.ts";
import { createServiceBusMessenger, sendOver } from "../messaging/service-bus-messenger.ts";
import { createAdmission } from "../scheduler/admission/admission.ts";
import { createAgentPresence } from "../scheduler/admission/agent-presence.ts";
import { createPauses, type Pauses } from "../scheduler/admission/pauses.ts";
import { flightViewOf } from "../scheduler/admission/waits-by-agent.ts";
import { type Ports, type Retention, type Timing, USUAL_TIMING } from "../scheduler/ports.ts";
import { completionUrl, publicUrlOf } from "../scheduler/steps/completion.ts";
import { type AgentHealthStore, createCosmosAgentHealthStore } from "../store/agent-health-store.ts";
import { createBlobJobArchive } from "../store/blob-job-archive.ts";
import { CONTAINERS, DATABASE } from "../store/containers.ts";
import { createCosmosJobStore } from "../store/cosmos-job-store.ts";
import type { ClosingStore, Span } from "../store/job-store.ts";
import { createCosmosPauseStore } from "../store/pause-store.ts";
import { createCosmosPurgeProgress, type PurgeProgress } from "../store/purge-progress.ts";
import { createCosmosWorkflowRegister, type WorkflowRegister } from "../store/workflow-register.ts";
import { createAbsences } from "../supervisor/absences.ts";
import { connectSupervision, STORAGE_RETRY } from "../supervisor/connect.ts";
import { createHealthObserver, observeTry, reportMisconfigured } from "../telemetry/agent-calls.ts";
import { processTelemetry } from "../telemetry/events.ts";
import type { TelemetrySettings } from "../telemetry/exporters.ts";
import { hideKeys } from "../telemetry/outgoing.ts";
import { isExporting } from "../telemetry/start.ts";
import { activeTraceparent } from "../telemetry/trace-context.ts";
import { tracedMessenger } from "../telemetry/traced-messenger.ts";
import type { Config } from "./config.ts";
import { agentIdentityOf, blobsOf, cosmosOf, ownKeysOf, serviceBusOf } from "./connections.ts";
import type { Business } from "./define-app.ts";
import { createHealthReports } from "./report-health.ts";

/** The parts of a composed app: the ports of its functions, and what they are made of. */
export interface Composed {
  readonly config: Config;
  readonly database: Pick<Database, "container">;
  /** The container of the jobs. */
  readonly jobs: Container;
  readonly senders: BusSenders;
  /** The messages in the app's queues as they are. */
  readonly originals: OriginalMessages;
  readonly pauses: Pauses;
  /** Where each process reports the health of its endpoints. */
  readonly health: AgentHealthStore;
  readonly ports: Ports;
  readonly closing: ClosingStore;
  readonly purgeProgress: PurgeProgress;
  readonly workflows: { readonly known: readonly Workflow[]; readonly register: WorkflowRegister };
}

/** Housekeeping has minutes, and its next run continues. */
const ARCHIVE_RETRY = { maxTries: 4, tryTimeoutInMs: 30_000, retryDelayInMs: 500, maxRetryDelayInMs: 5000 } as const;

/** The share of the time that a step may wait for its agent: a longer wait shows that the engine has a backlog. */
const WAITS_LONG = 1 / 6;

/**
 * While sweeps work, only records that a sweep may not change are overdue for this long, such as jobs of a newer version of the app: no agent
 * works on those, and they take no room.
 */
const ABANDONED_MS = 300_000;

/** A first deployment assigns roles just before it starts the app. */
const ROLES_ARE_NEW_S = 900;
const rolesAreNew = () => process.uptime() < ROLES_ARE_NEW_S;

function spanInFlight({ StartWithin }: Config, { clockSkewMs }: Timing, now: number): Span {
  return { from: instant(now - ABANDONED_MS), to: instant(now + StartWithin + LONGEST_STEP_MS + clockSkewMs) };
}

/** Within the time that a message is held. */
const LOOK_RETRY = { maxRetries: 2, retryDelayInMs: 300, timeoutInMs: 5000 } as const;

/** What no environment changes, and no setting has: an app that can't wait for the usual times, as in a test, is created with its own. */
export interface Tuning {
  readonly breaker?: Partial<BreakerOptions>;
  /** Of the operations whose policy has none. */
  readonly tryTimeoutMs?: number;
  readonly timing?: Partial<Timing>;
}

export function composePattern(
  business: Business,
  config: Config,
  telemetrySettings: TelemetrySettings,
  functionTimeout: HostTimeout,
  tuning: Tuning,
): Composed {
  const { contracts, workflows: known } = business;
  const workflows = business.loadWorkflows(config.StartWithin, functionTimeout);
  const database = cosmosOf(config).database(DATABASE);
  const senders = createBusSenders(() => serviceBusOf(config, { retryOptions: ONE_TRY }));
  const originals = createOriginalMessages(() => serviceBusOf(config, { retryOptions: LOOK_RETRY }));
  const replies = { agentReplies: config.AgentRepliesQueue };
  const jobs = database.container(CONTAINERS.jobs);
  const supervision = database.container(CONTAINERS.supervision);
  const store = createCosmosJobStore(
    { container: jobs, idName: idNameOf(contracts) },
    {
      rolesAreNew,
      onNewer: (jobId, cause) => processTelemetry.event("NewerRecordLeft", { jobId, cause: cause.message }),
    },
  );
  const register = createCosmosWorkflowRegister(supervision, jobs);
  const now = Date.now;
  const timing: Timing = {
    ...USUAL_TIMING,
    startWithinMs: config.StartWithin,
    functionTimeoutMs: functionTimeout.ms,
    ...tuning.timing,
  };
  const inFlight = () => spanInFlight(config, timing, now());
  const pauseStore = createCosmosPauseStore(supervision);
  const pauses = createPauses(pauseStore, now);
  const presence = createAgentPresence({ pauses, store: pauseStore, now });
  const health = createCosmosAgentHealthStore(supervision);
  const reports = createHealthReports({ store: health, instance: instanceName(config), now });
  const observeHealth = createHealthObserver();
  hideKeys(ownKeysOf(config));
  const ports: Ports = {
    store,
    pauses,
    presence,
    absences: createAbsences(now),
    messenger: tracedMessenger(
      createServiceBusMessenger(senders, replies, {
        ...{ surroundingTrace: activeTraceparent, rolesAreNew, originals },
        idName: idNameOf(contracts),
      }),
    ),
    agents: business.createAgents(
      config.endpoints,
      {
        now,
        authenticators: { settingOf: config.settingOf, identity: agentIdentityOf(config) },
        onHealth: (...change) => {
          observeHealth(...change);
          reports.touch();
        },
        onRouted: reports.add,
        mayBegin: async (name) => {
          reports.touch();
          return !(await pauses.isPaused({ kind: "agent", name }));
        },
        onMisconfigured: reportMisconfigured,
        observeTry: isExporting(telemetrySettings) ? observeTry : undefined,
        breaker: tuning.breaker,
        ...(tuning.tryTimeoutMs !== undefined && { tryTimeoutMs: tuning.tryTimeoutMs }),
      },
      { store, now, send: (queue, message) => sendOver(() => senders.send(queue, message), queue) },
    ),
    jobFor: business.contentFor,
    checkResult: business.checkResult,
    workflows,
    isNewerWorkflow: (name) => register.isNewer(name, known),
    rules: {
      workflows: offered(workflows, config.endpoints),
      ownedQueues: config.SubmissionQueues,
      contracts,
      listFaults: workflows.listFaults,
    },
    timing,
    retention: retentionOf(config, store),
    taskHub: config.TaskHub,
    completionUrl: (ticket) => completionUrl(publicUrlOf(config), ticket),
    ...connectSupervision(
      {
        blobs: blobsOf(config, { retryOptions: STORAGE_RETRY }),
        hostName: config.WEBSITE_HOSTNAME,
      },
      database,
    ),
    admission: createAdmission({
      count: () => store.countInFlight(inFlight()),
      view: async (limit) =>
        flightViewOf(await store.inFlight(inFlight(), limit), now(), config.StartWithin * WAITS_LONG, presence.isAway),
      engineBegan: () => presence.engineBegan,
      agentsOf: (workflow) => [...new Set(workflows.newest(workflow)?.steps.map(({ agent }) => agent))],
      limit: config.JobsInFlight,
      fairness:
        haveFairnessKeys(contracts) || config.SubmissionQueues.length > 0
          ? {
              countByKey: () => store.countByKey(inFlight()),
              share: config.FairShare,
            }
          : undefined,
      now,
      pause: sleep,
    }),
    nonce: randomUUID,
    now,
  };
  return {
    config,
    database,
    jobs,
    senders,
    originals,
    pauses,
    health,
    ports,
    closing: store,
    purgeProgress: createCosmosPurgeProgress(supervision, jobs, ports.taskHub),
    workflows: { known, register },
  };
}

/** The name of this process, for people: an instance of Azure has a long name. */
function instanceName({ WEBSITE_INSTANCE_ID: instance }: Config): string {
  return `${(instance || "host").slice(0, 8)}-${process.pid}`;
}

function retentionOf(config: Config, store: ClosingStore): Retention | undefined {
  const { EndedJobsKeptFor: keepMs, ResubmitWithin: resubmitWithinMs, JobArchive: container } = config;
  if (keepMs === undefined) return undefined;
  const archive =
    container === undefined
      ? undefined
      : createBlobJobArchive(blobsOf(config, { retryOptions: ARCHIVE_RETRY }).getContainerClient(container));
  return { store, keepMs, resubmitWithinMs, archive };
}
