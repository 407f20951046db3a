// Composes the operators' desk on an app: its ports, once for each app, on the connections that the app has.

import type { ContainerClient } from "@azure/storage-blob";
import {
  type Business,
  type Config,
  type OperatorSignIn,
  QUEUES,
  requestsQueueOf,
} from "@scheduler-agent-supervisor/core/app";
import { type App, blobsOf, type Composed, serviceBusOf } from "@scheduler-agent-supervisor/core/create-app";
import { instant } from "@scheduler-agent-supervisor/core/domain";
import {
  LEASE_BLOB,
  LEASE_CONTAINER,
  type Pauses,
  STILL_PUBLISHED_MS,
  STORAGE_RETRY,
} from "@scheduler-agent-supervisor/core/scheduling";
import { type ClosingStore, CONTAINERS, type Pause } from "@scheduler-agent-supervisor/core/store";
import type { AgentHealth, LastHour, Session, Traffic, WaitingMessages } from "./contract.ts";
import { MOST_JOBS } from "./domain/bulk.ts";
import { type GaugesFreshness, gaugesFreshness } from "./domain/gauges-freshness.ts";
import { switchedOff } from "./domain/switched-off.ts";
import { SWEEP_GRACE_MS } from "./domain/waiting.ts";
import { deadLetterQueuesOf } from "./messaging/dead-letters.ts";
import { createQueueAge } from "./messaging/queue-ages.ts";
import { createServiceBusDeadLetters } from "./messaging/service-bus-dead-letters.ts";
import { createAgentHealth } from "./operations/agent-health.ts";
import { type AttentionReader, createAttention } from "./operations/attention.ts";
import { type AwaitingReader, createAwaiting } from "./operations/awaiting.ts";
import type { DeadLetterPorts } from "./operations/handle-dead-letter.ts";
import { createHeldUp, type HeldUpView } from "./operations/held-up.ts";
import { keepOpenJobs } from "./operations/keep-open-jobs.ts";
import { createKeepReports, type KeepReports } from "./operations/keep-reports.ts";
import { createLastHour } from "./operations/last-hour.ts";
import type { GaugePorts } from "./operations/measure-gauges.ts";
import type { BulkPorts } from "./operations/preview-bulk.ts";
import type { SamplePorts } from "./operations/take-sample.ts";
import { createTraffic } from "./operations/traffic.ts";
import { createWaitingMessages } from "./operations/waiting-messages.ts";
import { createAwaitingJobs } from "./store/awaiting-jobs.ts";
import { createCosmosBulkStore } from "./store/bulk-store.ts";
import { createCosmosDiscardedStore, type DiscardedStore } from "./store/discarded-store.ts";
import { createHourCounts } from "./store/hour-counts.ts";
import { createJobGauges } from "./store/job-gauges.ts";
import { createJobSearch, type JobSearch } from "./store/job-search.ts";
import { createOpenErrorCounts } from "./store/open-error-counts.ts";
import { createOpenJobStore } from "./store/open-jobs.ts";
import { createRecentJobs } from "./store/recent-jobs.ts";
import { createCosmosSampleStore } from "./store/sample-store.ts";
import { createCosmosTakenJobs, type TakenJobStore } from "./store/taken-jobs.ts";
import { createWaitingJobs } from "./store/waiting-jobs.ts";
import { createGaugesSigns, type GaugesSigns } from "./supervision/gauges-signs.ts";
import { createSupervisionReader, type SupervisionReader } from "./supervision/read-supervision.ts";
import { createReportStore } from "./supervision/report-blob.ts";

export interface Desk {
  readonly gauges: GaugePorts;
  readonly gaugesSigns: GaugesSigns;
  readonly reports: KeepReports;
  readonly samples: SamplePorts;
  readonly console: ConsolePorts;
  readonly search: JobSearch;
  readonly bulk: BulkPorts;
  readonly erasure: { readonly closing: ClosingStore; readonly discarded: DiscardedStore };
  /** Connects at the first call. */
  deadLetters(): DeadLetterPorts;
}

interface ConsolePorts {
  readonly awaiting: AwaitingReader;
  readonly attention: AttentionReader;
  readonly heldUp: HeldUpView;
  readonly waitingMessages: () => Promise<WaitingMessages>;
  readonly traffic: () => Promise<Traffic>;
  readonly lastHour: () => Promise<LastHour>;
  readonly pauses: Pauses;
  readonly agents: () => Promise<AgentHealth>;
  /** The workflows and agents that can be paused, by name. */
  readonly known: { readonly [kind in Pause["kind"]]: readonly string[] };
  readonly taken: TakenJobStore;
  readonly supervision: SupervisionReader;
  readonly gauges: () => Promise<GaugesFreshness>;
  readonly environment: Session["environment"];
  readonly traceUrl: Session["traceUrl"];
  readonly signIn: OperatorSignIn;
}

/** For the ages of the queues: the next minute reads them again. */
const PEEK_RETRY = { maxRetries: 3, retryDelayInMs: 300, timeoutInMs: 5000 } as const;

/** The period of the console's overview. */
const TRAFFIC_WINDOW_MS = 3_600_000;

const desks = new WeakMap<App, Desk>();

/** The app's desk, composed at its first use. @throws one error that names all faults of the settings */
export function deskOf(app: App): Desk {
  const known = desks.get(app);
  if (known) return known;
  const desk = composeOperator(app.business, app.composed());
  desks.set(app, desk);
  return desk;
}

function composeOperator(business: Business, composed: Composed): Desk {
  const { config, database, jobs, ports, pauses, closing } = composed;
  const { now } = ports;
  const upSince = now();
  const besideLease = leaseContainerOf(config);
  const gaugesSigns = createGaugesSigns(besideLease);
  const supervision = database.container(CONTAINERS.supervision);
  const audit = database.container(CONTAINERS.audit);
  const consumed = consumedQueues(business, composed);
  const bus = serviceBusOf(config, { retryOptions: PEEK_RETRY });
  const queueAges = consumed.map((queue) => createQueueAge(bus, queue));
  const jobGauges = createJobGauges(jobs, createOpenErrorCounts(jobs, now));
  const openJobs = keepOpenJobs(createOpenJobStore(jobs), MOST_JOBS, now);
  const attention = createAttention({ openJobs, jobGauges, clockSkewMs: ports.timing.clockSkewMs, now });
  const known = { workflow: business.workflowNames, agent: business.serviceAgents.map(({ name }) => name) };
  const agents = createAgentHealth({ health: composed.health, pauses, known, now });
  const heldUpSeenWith = (health: typeof agents) =>
    createHeldUp({
      jobs: createWaitingJobs(jobs),
      agents: health,
      claimWithinMs: ports.timing.claimWithinMs,
      graceMs: SWEEP_GRACE_MS + ports.timing.clockSkewMs,
      now,
    });
  const heldUp = heldUpSeenWith(agents);
  // The alert does without what is only known of the agents.
  const unknown = () => ({ asOf: instant(now()), pauses: [], workflows: [], agents: [] });
  const waitingMessages = createWaitingMessages({ queueAges, now });
  const discarded = createCosmosDiscardedStore(supervision);
  const samples = createCosmosSampleStore(supervision);
  const counts = createHourCounts(jobs, closedAtOnceFor(composed));
  const search = createJobSearch(jobs);
  let deadLetters: DeadLetterPorts | undefined;
  return {
    gauges: { ...ports, jobGauges, queueAges, heldUp: heldUpSeenWith(() => agents().catch(unknown)) },
    gaugesSigns,
    reports: createKeepReports({
      store: createReportStore(besideLease),
      usualWorkflow: business.contracts.usualWorkflow,
      switchedOff: switchedOff(config.settingOf),
      now,
    }),
    samples: { samples, counts, queueAges, agents, now },
    console: {
      awaiting: createAwaiting({ jobs: createAwaitingJobs(jobs), workflows: business.workflows, now }),
      attention,
      heldUp,
      pauses,
      agents,
      known,
      waitingMessages,
      traffic: trafficOf(composed, waitingMessages),
      lastHour: createLastHour({ counts, attention, samples, now }),
      taken: createCosmosTakenJobs(supervision),
      supervision: createSupervisionReader(besideLease.getBlobClient(LEASE_BLOB), { supervision, audit }),
      gauges: async () => gaugesFreshness(await gaugesSigns.read(), now(), upSince),
      environment: config.EnvironmentName,
      traceUrl: config.TraceUrl ?? null,
      signIn: config.OperatorSignIn,
    },
    search,
    bulk: { ...ports, bulk: createCosmosBulkStore(supervision), attention, search },
    erasure: { closing, discarded },
    deadLetters: () => {
      deadLetters ??= {
        ...ports,
        deadLetters: connectDeadLetters(business, composed, consumed),
        discarded,
      };
      return deadLetters;
    },
  };
}

/** For a reader that does not take part in the leadership. */
function leaseContainerOf(config: Config): ContainerClient {
  return blobsOf(config, { retryOptions: STORAGE_RETRY }).getContainerClient(LEASE_CONTAINER);
}

/** The queues that the app receives from. */
function consumedQueues({ agentsAskedByQueue, localAgents }: Business, { config }: Composed): string[] {
  return [
    QUEUES.jobs,
    QUEUES.priorityJobs,
    ...ownedQueuesOf(config),
    QUEUES.scheduler,
    config.AgentRepliesQueue,
    ...[...agentsAskedByQueue].map(requestsQueueOf),
    ...localAgents.flatMap(({ replies }) => replies?.queue ?? []),
  ];
}

function connectDeadLetters({ contracts }: Business, { config, senders }: Composed, consumed: readonly string[]) {
  const { jobs, quarantine } = QUEUES;
  const agentReplies = config.AgentRepliesQueue;
  const own = deadLetterQueuesOf({ consumed, quarantine, jobs, ownedQueues: ownedQueuesOf(config), agentReplies });
  const client = serviceBusOf(config, { retryOptions: PEEK_RETRY });
  return createServiceBusDeadLetters(client, senders, own, contracts);
}

/** Jobs that are closed at once are gone after a while: the traffic looks back no further. */
function trafficOf(composed: Composed, waitingMessages: () => Promise<WaitingMessages>) {
  const { jobs, ports } = composed;
  const { retention, now } = ports;
  const closedFor = closedAtOnceFor(composed);
  const keptMs = retention?.archive ? STILL_PUBLISHED_MS : (closedFor ?? TRAFFIC_WINDOW_MS);
  return createTraffic({
    recent: createRecentJobs(jobs, closedFor),
    waitingMessages,
    windowMs: Math.min(TRAFFIC_WINDOW_MS, keptMs),
    now,
  });
}

function closedAtOnceFor({ ports: { retention } }: Composed): number | undefined {
  return retention && !retention.archive ? retention.keepMs : undefined;
}

function ownedQueuesOf({ SubmissionQueues }: Config): string[] {
  return SubmissionQueues.map(({ queue }) => queue);
}
