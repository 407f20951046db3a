// Composes an app: creates the ports from the settings, once for each process.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { heldUpBy } from "../domain/held-up.ts";
import type { Noun } from "../domain/noun.ts";
import { SWEEP_GRACE_MS } from "../domain/waiting.ts";
import { LONGEST_STEP_MS } from "../domain/workflow.ts";
import { offered } from "../domain/workflows.ts";
import { repliesQueueOf } from "../messaging/agent-teams.ts";
import { createBusSenders, ONE_TRY } from "../messaging/bus-senders.ts";
import { type DeadLetters, deadLetterQueuesOf } from "../messaging/dead-letters.ts";
import { createQueueAges } from "../messaging/queue-ages.ts";
import { createServiceBusDeadLetters } from "../messaging/service-bus-dead-letters.ts";
import { createServiceBusMessenger } from "../messaging/service-bus-messenger.ts";
import { createAgentStandings } from "../operations/agent-standings.ts";
import { createAttention } from "../operations/attention.ts";
import { createAwaiting } from "../operations/awaiting.ts";
import { createHandling } from "../operations/handle-job.ts";
import { createHeldUp } from "../operations/held-up.ts";
import { createHealthReports } from "../operations/report-health.ts";
import { createTraffic } from "../operations/traffic.ts";
import { createAdmission } from "../scheduler/admission.ts";
import { createAgentPresence } from "../scheduler/agent-presence.ts";
import { completionUrl, publicUrlOf } from "../scheduler/completion.ts";
import { createPauses } from "../scheduler/pauses.ts";
import { instant, type Ports, type Retention } from "../scheduler/ports.ts";
import { createCosmosAgentHealthStore } from "../store/agent-health-store.ts";
import { createAwaitingJobs } from "../store/awaiting-jobs.ts";
import { createBlobJobArchive } from "../store/blob-job-archive.ts";
import { createCosmosBulkStore } from "../store/bulk-store.ts";
import { createCosmosJobStore } from "../store/cosmos-job-store.ts";
import { createCosmosDiscardedStore } from "../store/discarded-store.ts";
import { createCosmosHandlingStore } from "../store/handling-store.ts";
import { createJobGauges } from "../store/job-gauges.ts";
import type { ClosingStore, Span } from "../store/job-store.ts";
import { namedDatabase } from "../store/named-container.ts";
import { createOpenJobs } from "../store/open-jobs.ts";
import { createCosmosPauseStore } from "../store/pause-store.ts";
import { createCosmosPurgeProgress } from "../store/purge-progress.ts";
import { createRecentJobs } from "../store/recent-jobs.ts";
import { createWaitingJobs } from "../store/waiting-jobs.ts";
import { createCosmosWorkflowRegister } from "../store/workflow-register.ts";
import { STILL_PUBLISHED_MS } from "../supervisor/close-jobs.ts";
import { connectSupervision, connectSupervisionReader, STORAGE_RETRY } from "../supervisor/connect.ts";
import { createHealthObserver, observeTry, reportMisconfigured } from "../telemetry/agent-calls.ts";
import { processTelemetry } from "../telemetry/events.ts";
import { isExporting, type TelemetrySettings } from "../telemetry/start.ts";
import { activeTraceparent } from "../telemetry/trace-context.ts";
import { tracedMessenger } from "../telemetry/traced-messenger.ts";
import type { Composed, ConsolePorts } from "./composed.ts";
import type { Config } from "./config.ts";
import { agentIdentityOf, blobsOf, cosmosOf, serviceBusOf } from "./connections.ts";
import type { Business } from "./define-app.ts";

/** For the ages of the queues: the next minute reads them again. */
const PEEK_RETRY = { maxRetries: 3, retryDelayInMs: 300, timeoutInMs: 5000 } as const;

/** Housekeeping has minutes, and its next run continues. */
const ARCHIVE_RETRY = { maxTries: 4, tryTimeoutInMs: 30_000, retryDelayInMs: 500, maxRetryDelayInMs: 5000 } as const;

/** Longer than an engine without a backlog needs to begin an activity. */
const UNRECORDED_MS = 2000;

/** The share of the time that a step may wait for its agent: a longer wait shows that the engine has a backlog. */
const WAITS_LONG = 1 / 6;

/**
 * While sweeps work, only records that a sweep may not change are overdue for this long, such as jobs of a newer version of the app: no agent
 * works on those, and they take no room.
 */
const ABANDONED_MS = 300_000;

/** The period of the console's overview. */
const TRAFFIC_WINDOW_MS = 3_600_000;

/** A first deployment assigns roles just before it starts the app. */
const ROLES_ARE_NEW_S = 900;
const rolesAreNew = () => process.uptime() < ROLES_ARE_NEW_S;

function spanInFlight({ StartWithin, ClockSkew }: Config, now: number): Span {
  return { from: instant(now - ABANDONED_MS), to: instant(now + StartWithin + LONGEST_STEP_MS + ClockSkew) };
}

export function compose(business: Business, config: Config, telemetrySettings: TelemetrySettings): Composed {
  const { agentsAskedByQueue, contracts, serviceAgents, workflowNames, workflows: known } = business;
  const workflows = business.loadWorkflows(`PT${config.StartWithin / 1000}S`);
  const { noun } = contracts;
  const database = namedDatabase(cosmosOf(config).database(config.CosmosDatabase), noun);
  const senders = createBusSenders(() => serviceBusOf(config, { retryOptions: ONE_TRY }));
  const queues = {
    jobs: config.JobsQueue,
    priorityJobs: config.PriorityJobsQueue,
    scheduler: config.SchedulerQueue,
    quarantine: config.QuarantineQueue,
    agentRequests: config.AgentRequestsQueue,
    agentReplies: config.AgentRepliesQueue,
    agentTeams: config.AgentTeams,
  };
  const jobs = database.container(config.JobsContainer);
  const store = createCosmosJobStore(
    { container: jobs, noun },
    {
      rolesAreNew,
      onNewer: (jobId, cause) => processTelemetry.event("NewerRecordLeft", { jobId, cause: cause.message }),
    },
  );
  const register = createCosmosWorkflowRegister(database.container(config.SupervisionContainer), jobs);
  const now = Date.now;
  const pauseStore = createCosmosPauseStore(database.container(config.SupervisionContainer));
  const pauses = createPauses(pauseStore, now);
  const health = createCosmosAgentHealthStore(database.container(config.SupervisionContainer));
  const reports = createHealthReports({ store: health, instance: instanceName(config), now });
  const observeHealth = createHealthObserver();
  const ports: Ports = {
    store,
    pauses,
    presence: createAgentPresence({ pauses, store: pauseStore, now }),
    messenger: tracedMessenger(
      createServiceBusMessenger(senders, queues, { noun, surroundingTrace: activeTraceparent, rolesAreNew }),
      queues,
    ),
    agents: business.createAgents(
      config.endpoints,
      {
        now,
        tryTimeoutMs: config.AgentTryTimeout,
        slowAfterMs: config.AgentSlowAfter,
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
        breaker: {
          failures: config.BreakerFailures,
          openMs: config.BreakerOpenFor,
          longestOpenMs: config.BreakerOpenFor * 5,
        },
      },
      { store, now },
    ),
    agentTeams: config.AgentTeams,
    jobFor: business.contentFor,
    checkResult: business.checkResult,
    workflows,
    isNewerWorkflow: (name) => register.isNewer(name, known),
    rules: {
      workflows: offered(workflows, config.endpoints),
      replyQueuePattern: config.ReplyQueuePattern,
      ownedQueues: config.SubmissionQueues,
      contracts,
      listFaults: workflows.listFaults,
    },
    timing: {
      holdWithinMs: config.HoldWithin,
      misconfiguredRetryMs: config.RetryMisconfiguredAfter,
      claimWithinMs: config.ClaimWithin,
      mostTimesUntaken: config.MostTimesNotTakenUp,
      clockSkewMs: config.ClockSkew,
      sweepWithinMs: config.SweepWithin,
      unrecordedMs: UNRECORDED_MS,
      orchestrationsKeptForMs: config.OrchestrationsKeptFor,
    },
    retention: retentionOf(config, store, noun),
    taskHub: config.TaskHub,
    completionUrl: (ticket) => completionUrl(publicUrlOf(config), ticket, noun),
    ...connectSupervision(
      {
        blobs: blobsOf(config, { retryOptions: STORAGE_RETRY }),
        supervisionContainer: config.SupervisionContainer,
        auditContainer: config.AuditContainer,
        leaseSeconds: config.LeaseSeconds,
        idleSweepEveryMs: config.IdleSweepRecordedEvery,
        hostName: config.WEBSITE_HOSTNAME,
      },
      database,
    ),
    admission: createAdmission({
      count: () => store.countInFlight(spanInFlight(config, now())),
      waiting: async (limit) => {
        const jobs = await store.inFlight(spanInFlight(config, now()), limit);
        return jobs.flatMap((job) => {
          const agent = heldUpBy(job, now(), config.StartWithin * WAITS_LONG);
          return agent === undefined ? [] : [{ agent, priority: job.priority }];
        });
      },
      agentsOf: (workflow) => [...new Set(workflows.newest(workflow)?.steps.map(({ agent }) => agent))],
      limit: config.JobsInFlight,
      now,
      pause: sleep,
    }),
    operatorSignIn: config.OperatorSignIn,
    nonce: randomUUID,
    now,
  };
  const ownedQueues = config.SubmissionQueues.map(({ queue }) => queue);
  const teamQueues = config.AgentTeams.map(({ team }) => repliesQueueOf(team, queues.agentReplies));
  const consumed = [
    queues.jobs,
    queues.priorityJobs,
    ...ownedQueues,
    queues.scheduler,
    queues.agentReplies,
    ...teamQueues,
    ...[...agentsAskedByQueue].map((agent) => `${queues.agentRequests}-${agent}`),
  ];
  const queueAges = createQueueAges(serviceBusOf(config, { retryOptions: PEEK_RETRY }), consumed);
  const jobGauges = createJobGauges(jobs);
  const supervisionContainer = database.container(config.SupervisionContainer);
  const attention = createAttention({
    openJobs: createOpenJobs(jobs),
    jobGauges,
    clockSkewMs: config.ClockSkew,
    now,
  });
  const { retention } = ports;
  const closedAtOnceFor = retention && !retention.archive ? retention.keepMs : undefined;
  const pausable = { workflow: workflowNames, agent: serviceAgents.map(({ name }) => name) };
  const agents = createAgentStandings({ health, pauses, known: pausable, now });
  const heldUpSeenWith = (standings: typeof agents) =>
    createHeldUp({
      jobs: createWaitingJobs(jobs),
      agents: standings,
      claimWithinMs: config.ClaimWithin,
      graceMs: SWEEP_GRACE_MS + config.ClockSkew,
      now,
    });
  const heldUp = heldUpSeenWith(agents);
  // The alert does without what is only known of the agents.
  const unknown = () => ({ asOf: instant(now()), pauses: [], workflows: [], agents: [] });
  const stock = { ...ports, jobGauges, queueAges, heldUp: heldUpSeenWith(() => agents().catch(unknown)) };
  const console: ConsolePorts = {
    awaiting: createAwaiting({ jobs: createAwaitingJobs(jobs), workflows: known, now }),
    attention,
    heldUp,
    pauses,
    agents,
    known: pausable,
    traffic: createTraffic({
      recent: createRecentJobs(jobs, closedAtOnceFor),
      queueAges,
      windowMs: Math.min(
        TRAFFIC_WINDOW_MS,
        retention?.archive ? STILL_PUBLISHED_MS : (closedAtOnceFor ?? TRAFFIC_WINDOW_MS),
      ),
      now,
    }),
    handling: createHandling({ store: createCosmosHandlingStore(supervisionContainer), attention, now }),
    supervision: connectSupervisionReader(
      {
        blobs: blobsOf(config, { retryOptions: STORAGE_RETRY }),
        supervisionContainer: config.SupervisionContainer,
        auditContainer: config.AuditContainer,
      },
      database,
    ),
    environment: { name: config.EnvironmentName, colour: config.EnvironmentColour },
    traceUrl: config.TraceUrl ?? null,
    signIn: config.OperatorSignIn,
  };
  const bulk = { ...ports, bulk: createCosmosBulkStore(supervisionContainer), attention };
  const discarded = createCosmosDiscardedStore(supervisionContainer);
  let deadLetters: DeadLetters | undefined;
  const connected = () => {
    const { quarantine, agentReplies } = queues;
    const sources = { jobs: config.JobsQueue, ownedQueues, agentReplies, teamQueues };
    const own = deadLetterQueuesOf({ consumed, quarantine, ...sources });
    deadLetters ??= createServiceBusDeadLetters(serviceBusOf(config, { retryOptions: PEEK_RETRY }), senders, own, noun);
    return { ...ports, deadLetters, discarded };
  };
  const workflowsKnown = { known, register };
  const purgeProgress = createCosmosPurgeProgress(supervisionContainer, jobs, ports.taskHub);
  return {
    ports,
    queues,
    stock,
    deadLetters: connected,
    closing: store,
    discarded,
    purgeProgress,
    console,
    bulk,
    workflows: workflowsKnown,
  };
}

/** The name of this process, for people: an instance of Azure has a long name. */
function instanceName({ WEBSITE_INSTANCE_ID: instance }: Config): string {
  return `${(instance || "host").slice(0, 8)}-${process.pid}`;
}

function retentionOf(config: Config, store: ClosingStore, noun: Noun): Retention | undefined {
  const { EndedJobsKeptFor: keepMs, ResubmitWithin: resubmitWithinMs, JobArchive: container } = config;
  if (keepMs === undefined) return undefined;
  const archive =
    container === undefined
      ? undefined
      : createBlobJobArchive(blobsOf(config, { retryOptions: ARCHIVE_RETRY }).getContainerClient(container), noun);
  return { store, keepMs, resubmitWithinMs, archive };
}
