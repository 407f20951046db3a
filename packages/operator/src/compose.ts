// Composes the operators' desk on an app: its ports, once for each app, on the connections that the app has.

import type { ContainerClient } from "@azure/storage-blob";
import type { Business } from "@scheduler-agent-supervisor/core/app";
import {
  blobsOf,
  type Composed,
  type Config,
  type OperatorSignIn,
  serviceBusOf,
} from "@scheduler-agent-supervisor/core/composition";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { instant, inWords } from "@scheduler-agent-supervisor/core/domain";
import { repliesQueueOf } from "@scheduler-agent-supervisor/core/messaging";
import type { Pauses } from "@scheduler-agent-supervisor/core/scheduling";
import type { ClosingStore, Pause } from "@scheduler-agent-supervisor/core/store";
import {
  LEASE_BLOB,
  LEASE_CONTAINER,
  STILL_PUBLISHED_MS,
  STORAGE_RETRY,
} from "@scheduler-agent-supervisor/core/supervision";
import { MOST_JOBS } from "./domain/bulk.ts";
import { type GaugesStanding, gaugesStanding } from "./domain/gauges-standing.ts";
import type { OthersQueue } from "./domain/others-queue.ts";
import { switchedOff } from "./domain/switched-off.ts";
import { SWEEP_GRACE_MS } from "./domain/waiting.ts";
import type { AgentStandings, LastHour, Session, Traffic, WaitingMessages } from "./messaging/console-contract.ts";
import { deadLetterQueuesOf } from "./messaging/dead-letters.ts";
import { createQueueAge } from "./messaging/queue-ages.ts";
import { createServiceBusDeadLetters } from "./messaging/service-bus-dead-letters.ts";
import { createAdvice, type ReadAdvice } from "./operations/advice.ts";
import { createAgentStandings } from "./operations/agent-standings.ts";
import { type AttentionView, createAttention } from "./operations/attention.ts";
import { type AwaitingView, createAwaiting } from "./operations/awaiting.ts";
import type { DeadLetterPorts } from "./operations/handle-dead-letter.ts";
import { createHandling, type HandlingView } from "./operations/handle-job.ts";
import { createHeldUp, type HeldUpView } from "./operations/held-up.ts";
import { keepOpenJobs } from "./operations/keep-open-jobs.ts";
import { createKeepReports, type KeepReports } from "./operations/keep-reports.ts";
import { createLastHour } from "./operations/last-hour.ts";
import type { GaugePorts } from "./operations/measure-gauges.ts";
import type { BulkPorts } from "./operations/preview-bulk.ts";
import { createReplyQueues, type ReplyQueues, unknownQueues, withOthers } from "./operations/reply-queues.ts";
import type { SamplePorts } from "./operations/take-sample.ts";
import { createTraffic } from "./operations/traffic.ts";
import { createWaitingMessages } from "./operations/waiting-messages.ts";
import { createAwaitingJobs } from "./store/awaiting-jobs.ts";
import { createCosmosBulkStore } from "./store/bulk-store.ts";
import { createCosmosDiscardedStore, type DiscardedStore } from "./store/discarded-store.ts";
import { createEndedJobs } from "./store/ended-jobs.ts";
import { createCosmosHandlingStore } from "./store/handling-store.ts";
import { createHourCounts } from "./store/hour-counts.ts";
import { createJobGauges } from "./store/job-gauges.ts";
import { createJobSearch, type JobSearch } from "./store/job-search.ts";
import { createOpenErrorCounts } from "./store/open-error-counts.ts";
import { createOpenJobStore } from "./store/open-jobs.ts";
import { createRecentJobs } from "./store/recent-jobs.ts";
import { createCosmosReplyQueueRegister } from "./store/reply-queue-register.ts";
import { createCosmosSampleStore } from "./store/sample-store.ts";
import { createShiftEntries, type ShiftEntries } from "./store/shift-entries.ts";
import { createWaitingJobs } from "./store/waiting-jobs.ts";
import { createGaugesSigns, type GaugesSigns } from "./supervision/gauges-signs.ts";
import { createSupervisionReader, type SupervisionReader } from "./supervision/read-supervision.ts";
import { createReportStore } from "./supervision/report-blob.ts";

export interface Desk {
  readonly gauges: GaugePorts;
  readonly gaugesSigns: GaugesSigns;
  readonly replyQueues: ReplyQueues;
  readonly reports: KeepReports;
  readonly samples: SamplePorts;
  readonly console: ConsolePorts;
  readonly search: JobSearch;
  readonly bulk: BulkPorts;
  readonly erasure: { readonly closing: ClosingStore; readonly discarded: DiscardedStore };
  /** Connects at the first call. */
  deadLetters(): DeadLetterPorts;
}

export interface ConsolePorts {
  readonly advice: ReadAdvice;
  readonly awaiting: AwaitingView;
  readonly attention: AttentionView;
  readonly heldUp: HeldUpView;
  readonly waitingMessages: () => Promise<WaitingMessages>;
  readonly traffic: () => Promise<Traffic>;
  readonly lastHour: () => Promise<LastHour>;
  readonly pauses: Pauses;
  readonly agents: () => Promise<AgentStandings>;
  /** The workflows and agents that can be paused, by name. */
  readonly known: { readonly [kind in Pause["kind"]]: readonly string[] };
  readonly handling: HandlingView;
  readonly supervision: SupervisionReader;
  readonly gauges: () => Promise<GaugesStanding>;
  readonly shiftEntries: ShiftEntries;
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
  const supervision = database.container(config.SupervisionContainer);
  const audit = database.container(config.AuditContainer);
  const consumed = consumedQueues(business, composed);
  const replyQueues = createReplyQueues({
    register: createCosmosReplyQueueRegister(supervision),
    own: [config.AgentRepliesQueue, ...teamQueuesOf(config)],
    now,
  });
  const bus = serviceBusOf(config, { retryOptions: PEEK_RETRY });
  const ageOf = (queue: string) => createQueueAge(bus, queue);
  const queueAges = withOthers(consumed.map(ageOf), replyQueues, { ageOf, name: config.AgentRepliesQueue });
  const jobGauges = createJobGauges(jobs, createOpenErrorCounts(jobs, now));
  const openJobs = keepOpenJobs(createOpenJobStore(jobs), MOST_JOBS, now);
  const attention = createAttention({ openJobs, jobGauges, clockSkewMs: config.ClockSkew, now });
  const known = { workflow: business.workflowNames, agent: business.serviceAgents.map(({ name }) => name) };
  const agents = createAgentStandings({ health: composed.health, pauses, known, now });
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
  const waitingMessages = createWaitingMessages({ queueAges, now });
  const discarded = createCosmosDiscardedStore(supervision);
  const samples = createCosmosSampleStore(supervision);
  const counts = createHourCounts(jobs, closedAtOnceFor(composed));
  const search = createJobSearch(jobs);
  let deadLetters: DeadLetterPorts | undefined;
  return {
    gauges: { ...ports, jobGauges, queueAges, heldUp: heldUpSeenWith(() => agents().catch(unknown)) },
    gaugesSigns,
    replyQueues,
    reports: createKeepReports({
      store: createReportStore(besideLease),
      usualWorkflow: business.contracts.usualWorkflow,
      switchedOff: switchedOff(config.settingOf),
      now,
    }),
    samples: { samples, counts, queueAges, agents, now },
    console: {
      advice: createAdvice({
        jobs: createEndedJobs(jobs, closedAtOnceFor(composed)),
        workflows: business.workflowNames.flatMap((name) => ports.workflows.newest(name) ?? []),
        now,
      }),
      awaiting: createAwaiting({ jobs: createAwaitingJobs(jobs), workflows: business.workflows, now }),
      attention,
      heldUp,
      pauses,
      agents,
      known,
      waitingMessages,
      traffic: trafficOf(composed, waitingMessages),
      lastHour: createLastHour({ counts, attention, samples, now }),
      handling: createHandling({ store: createCosmosHandlingStore(supervision), attention, now }),
      supervision: createSupervisionReader(besideLease.getBlobClient(LEASE_BLOB), { supervision, audit }),
      gauges: async () => gaugesStanding(await gaugesSigns.read(), now(), upSince),
      shiftEntries: createShiftEntries({ supervision, audit }),
      environment: { name: config.EnvironmentName, colour: config.EnvironmentColour },
      traceUrl: config.TraceUrl ?? null,
      signIn: config.OperatorSignIn,
    },
    search,
    bulk: { ...ports, bulk: createCosmosBulkStore(supervision), attention, search },
    erasure: { closing, discarded },
    deadLetters: () => {
      deadLetters ??= {
        ...ports,
        deadLetters: connectDeadLetters(business, composed, { consumed, replyQueues }),
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
function consumedQueues({ agentsAskedByQueue, localAgents }: Business, { queues, config }: Composed): string[] {
  return [
    queues.jobs,
    queues.priorityJobs,
    ...ownedQueuesOf(config),
    queues.scheduler,
    queues.agentReplies,
    ...teamQueuesOf(config),
    ...[...agentsAskedByQueue].map((agent) => `${queues.agentRequests}-${agent}`),
    ...localAgents.flatMap(({ replies }) => replies?.queue ?? []),
  ];
}

function connectDeadLetters(
  { contracts }: Business,
  { config, queues, senders }: Composed,
  { consumed, replyQueues }: { readonly consumed: readonly string[]; readonly replyQueues: ReplyQueues },
) {
  const { jobs, quarantine, agentReplies } = queues;
  const sources = { jobs, ownedQueues: ownedQueuesOf(config), agentReplies, teamQueues: teamQueuesOf(config) };
  const queuesWith = (others?: readonly OthersQueue[]) =>
    deadLetterQueuesOf({ consumed, quarantine, ...sources, ...(others && { others }) });
  const ofAll = () =>
    replyQueues.others().then(
      (others) => ({ known: queuesWith(others), unknown: [] }),
      (cause: unknown) => ({
        known: queuesWith(),
        unknown: [{ queue: unknownQueues(agentReplies), error: inWords(cause) }],
      }),
    );
  const client = serviceBusOf(config, { retryOptions: PEEK_RETRY });
  return createServiceBusDeadLetters(client, senders, ofAll, contracts);
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

function teamQueuesOf({ AgentTeams, AgentRepliesQueue }: Config): string[] {
  return AgentTeams.map(({ team }) => repliesQueueOf(team, AgentRepliesQueue));
}
