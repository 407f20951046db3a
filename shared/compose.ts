// Puts the app together: the ports, made once a process, from the settings.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LONGEST_STEP_MS, type Workflow } from "@scheduler-agent-supervisor/core/domain/workflow";
import { offered } from "@scheduler-agent-supervisor/core/domain/workflows";
import { repliesQueueOf } from "@scheduler-agent-supervisor/core/messaging/agent-teams";
import { createBusSenders, ONE_TRY } from "@scheduler-agent-supervisor/core/messaging/bus-senders";
import { completionUrl, publicUrlOf } from "@scheduler-agent-supervisor/core/messaging/completion";
import type { AgentStandings, Session, Traffic } from "@scheduler-agent-supervisor/core/messaging/console-contract";
import { type DeadLetters, deadLetterQueuesOf } from "@scheduler-agent-supervisor/core/messaging/dead-letters";
import { createQueueAges } from "@scheduler-agent-supervisor/core/messaging/queue-ages";
import { createServiceBusDeadLetters } from "@scheduler-agent-supervisor/core/messaging/service-bus-dead-letters";
import {
  createServiceBusMessenger,
  type QueueNames,
} from "@scheduler-agent-supervisor/core/messaging/service-bus-messenger";
import { createAdmission } from "@scheduler-agent-supervisor/core/operations/admission";
import { createAgentStandings } from "@scheduler-agent-supervisor/core/operations/agent-standings";
import { type AttentionView, createAttention } from "@scheduler-agent-supervisor/core/operations/attention";
import { type AwaitingView, createAwaiting } from "@scheduler-agent-supervisor/core/operations/awaiting";
import { STILL_PUBLISHED_MS } from "@scheduler-agent-supervisor/core/operations/close-orders";
import type { DeadLetterPorts } from "@scheduler-agent-supervisor/core/operations/handle-dead-letter";
import { createHandling, type HandlingView } from "@scheduler-agent-supervisor/core/operations/handle-order";
import type { GaugePorts } from "@scheduler-agent-supervisor/core/operations/measure-gauges";
import { createPauses, type Pauses } from "@scheduler-agent-supervisor/core/operations/pauses";
import {
  type Context,
  instant,
  type Ports,
  type Retention,
  type Telemetry,
} from "@scheduler-agent-supervisor/core/operations/ports";
import type { BulkPorts } from "@scheduler-agent-supervisor/core/operations/preview-bulk";
import { createHealthReports } from "@scheduler-agent-supervisor/core/operations/report-health";
import { createTraffic } from "@scheduler-agent-supervisor/core/operations/traffic";
import { createCosmosAgentHealthStore } from "@scheduler-agent-supervisor/core/store/agent-health-store";
import { createAwaitingOrders } from "@scheduler-agent-supervisor/core/store/awaiting-orders";
import { createBlobOrderArchive } from "@scheduler-agent-supervisor/core/store/blob-order-archive";
import { createCosmosBulkStore } from "@scheduler-agent-supervisor/core/store/bulk-store";
import { createCosmosOrderStore } from "@scheduler-agent-supervisor/core/store/cosmos-order-store";
import {
  createCosmosDiscardedStore,
  type DiscardedStore,
} from "@scheduler-agent-supervisor/core/store/discarded-store";
import { createCosmosHandlingStore } from "@scheduler-agent-supervisor/core/store/handling-store";
import { createOpenOrders } from "@scheduler-agent-supervisor/core/store/open-orders";
import { createOrderGauges } from "@scheduler-agent-supervisor/core/store/order-gauges";
import type { ClosingStore } from "@scheduler-agent-supervisor/core/store/order-store";
import { createCosmosPauseStore, type Pause } from "@scheduler-agent-supervisor/core/store/pause-store";
import { createCosmosPurgeProgress, type PurgeProgress } from "@scheduler-agent-supervisor/core/store/purge-progress";
import { createRecentOrders } from "@scheduler-agent-supervisor/core/store/recent-orders";
import {
  createCosmosWorkflowRegister,
  type WorkflowRegister,
} from "@scheduler-agent-supervisor/core/store/workflow-register";
import {
  connectSupervision,
  connectSupervisionReader,
  STORAGE_RETRY,
} from "@scheduler-agent-supervisor/core/supervision/connect";
import type { SupervisionReader } from "@scheduler-agent-supervisor/core/supervision/read-supervision";
import {
  createHealthObserver,
  observeTry,
  reportMisconfigured,
} from "@scheduler-agent-supervisor/core/telemetry/agent-calls";
import { processTelemetry } from "@scheduler-agent-supervisor/core/telemetry/events";
import { isExporting } from "@scheduler-agent-supervisor/core/telemetry/start";
import { activeTraceparent } from "@scheduler-agent-supervisor/core/telemetry/trace-context";
import { tracedMessenger } from "@scheduler-agent-supervisor/core/telemetry/traced-messenger";
import { createAgents, knownAgents, orderFor, routedAgents } from "./agents/agents.ts";
import { type Config, endpointsIn, parseConfig, parseTelemetryConfig, parseTriggers } from "./config.ts";
import { agentIdentityOf, blobsOf, cosmosOf, serviceBusOf } from "./connections.ts";
import { contracts, type Order } from "./contracts/order.ts";
import { createRefundsAgent } from "./operations/refunds-agent.ts";
import { agentsAskedByQueue, knownWorkflows, loadWorkflows } from "./workflows/workflows.ts";

/** For the ages of the queues, which the next minute reads again. */
const PEEK_RETRY = { maxRetries: 3, retryDelayInMs: 300, timeoutInMs: 5000 } as const;

/** Housekeeping has minutes, and its next run goes on. */
const ARCHIVE_RETRY = { maxTries: 4, tryTimeoutInMs: 30_000, retryDelayInMs: 500, maxRetryDelayInMs: 5000 } as const;

/** Longer than an engine without a backlog takes to begin an activity. */
const UNRECORDED_MS = 2000;

/** Of the time that a step may wait for its agent: whoever waits for longer shows that the engine has a backlog. */
const WAITS_LONG = 1 / 6;

/**
 * Where a sweep works, nothing is overdue for so long but what it has to leave alone, as orders of a newer version of the app: nobody is at
 * work on those, and they take up no room.
 */
const ABANDONED_MS = 300_000;

/** What the console's overview looks back on. */
const TRAFFIC_WINDOW_MS = 3_600_000;

/** A first deployment gives roles just before it starts the app. */
const ROLES_ARE_NEW_S = 900;
const rolesAreNew = () => process.uptime() < ROLES_ARE_NEW_S;

interface App {
  readonly ports: Ports;
  readonly queues: QueueNames & { readonly orders: string; readonly priorityOrders: string };
  readonly stock: GaugePorts;
  readonly deadLetters: () => DeadLetterPorts;
  readonly closing: ClosingStore;
  readonly discarded: DiscardedStore;
  readonly purgeProgress: PurgeProgress;
  readonly console: ConsolePorts;
  readonly bulk: BulkPorts;
  readonly workflows: { readonly known: readonly Workflow[]; readonly register: WorkflowRegister };
}

/** What actions on many orders stand on; as `ports`. */
export function bulkPorts(): BulkPorts {
  return app().bulk;
}

interface ConsolePorts {
  readonly awaiting: AwaitingView;
  readonly attention: AttentionView;
  readonly traffic: () => Promise<Traffic>;
  readonly pauses: Pauses;
  readonly agents: () => Promise<AgentStandings>;
  /** What may be paused, by name. */
  readonly known: { readonly [kind in Pause["kind"]]: readonly string[] };
  readonly handling: HandlingView;
  readonly supervision: SupervisionReader;
  readonly environment: Session["environment"];
  readonly traceUrl: Session["traceUrl"];
  readonly signIn: Config["OperatorSignIn"];
}

let composed: App | undefined;

/** What every order's telemetry goes by; read when the app is loaded. */
export const telemetrySettings = parseTelemetryConfig(process.env);

/** The submission queues of one sender each, and the teams with a reply queue each: each has a function. Read when the app is loaded. */
export const { SubmissionQueues: submissionQueues, AgentTeams: agentTeams } = parseTriggers(process.env);

/** The app's ports; the first call reads the settings and throws one error that names all that is wrong with them. */
export function ports(): Ports {
  return app().ports;
}

/** What one invocation works with; as `ports`. */
export function contextOf(telemetry: Telemetry): Context {
  return { ...ports(), telemetry };
}

/** The app's own queues; as `ports`. */
export function queueNames(): App["queues"] {
  return app().queues;
}

/** The workflows as they are written, and the register of their versions; as `ports`. */
export function workflowPorts(): App["workflows"] {
  return app().workflows;
}

/** What erases an order; as `ports`. */
export function erasurePorts(): { readonly closing: ClosingStore; readonly discarded: DiscardedStore } {
  const { closing, discarded } = app();
  return { closing, discarded };
}

/** How far housekeeping has come; as `ports`. */
export function purgeProgress(): PurgeProgress {
  return app().purgeProgress;
}

/** What the gauges are read from; as `ports`. */
export function gaugePorts(): GaugePorts {
  return app().stock;
}

/** What the operators' console is answered from; as `ports`. */
export function consolePorts(): ConsolePorts {
  return app().console;
}

/** What operators see to dead letters with; connects when it is first asked for. As `ports`. */
export function deadLetterPorts(): DeadLetterPorts {
  return app().deadLetters();
}

function app(): App {
  composed ??= compose(parseConfig(process.env));
  return composed;
}

function compose(config: Config): App {
  const workflows = loadWorkflows(knownAgents, undefined, `PT${config.StartWithin / 1000}S`);
  const database = cosmosOf(config).database(config.CosmosDatabase);
  const senders = createBusSenders(() => serviceBusOf(config, { retryOptions: ONE_TRY }));
  const queues = {
    orders: config.OrdersQueue,
    priorityOrders: config.PriorityOrdersQueue,
    scheduler: config.SchedulerQueue,
    quarantine: config.QuarantineQueue,
    agentRequests: config.AgentRequestsQueue,
    agentReplies: config.AgentRepliesQueue,
    agentTeams: config.AgentTeams,
  };
  const orders = database.container(config.OrdersContainer);
  const store = createCosmosOrderStore(orders, {
    rolesAreNew,
    onNewer: (orderId, cause) => processTelemetry.event("NewerRecordLeft", { orderId, cause: cause.message }),
  });
  const register = createCosmosWorkflowRegister(database.container(config.SupervisionContainer), orders);
  const now = Date.now;
  const pauses = createPauses(createCosmosPauseStore(database.container(config.SupervisionContainer)), now);
  const health = createCosmosAgentHealthStore(database.container(config.SupervisionContainer));
  const reports = createHealthReports({ store: health, instance: instanceName(config), now });
  const observeHealth = createHealthObserver();
  const ports: Ports = {
    store,
    pauses,
    messenger: tracedMessenger(
      createServiceBusMessenger(senders, queues, { surroundingTrace: activeTraceparent, rolesAreNew }),
      queues,
    ),
    agents: createAgents(
      endpointsIn(config),
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
      [createRefundsAgent(store, now)],
    ),
    agentTeams: config.AgentTeams,
    orderFor: (agent, order) => orderFor(agent, order as Order),
    workflows,
    isNewerWorkflow: (name) => register.isNewer(name, knownWorkflows),
    rules: {
      workflows: offered(workflows, endpointsIn(config)),
      replyQueuePattern: config.ReplyQueuePattern,
      ownedQueues: config.SubmissionQueues,
      contracts,
      listFaults: workflows.listFaults,
    },
    timing: {
      holdWithinMs: config.HoldWithin,
      misconfiguredRetryMs: config.RetryMisconfiguredAfter,
      claimWithinMs: config.ClaimWithin,
      clockSkewMs: config.ClockSkew,
      sweepWithinMs: config.SweepWithin,
      unrecordedMs: UNRECORDED_MS,
      orchestrationsKeptForMs: config.OrchestrationsKeptFor,
    },
    retention: retentionOf(config, store),
    taskHub: config.AzureFunctionsJobHost__extensions__durableTask__hubName,
    completionUrl: (ticket) => completionUrl(publicUrlOf(config), ticket),
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
      count: () => {
        const longest = config.StartWithin + LONGEST_STEP_MS + config.ClockSkew;
        const [waitsLong, abandoned, reported] = [config.StartWithin * (1 - WAITS_LONG), -ABANDONED_MS, longest];
        return store.countInFlight(instant(now() + waitsLong), instant(now() + abandoned), instant(now() + reported));
      },
      limit: config.OrdersInFlight,
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
    queues.orders,
    queues.priorityOrders,
    ...ownedQueues,
    queues.scheduler,
    queues.agentReplies,
    ...teamQueues,
    ...[...agentsAskedByQueue].map((agent) => `${queues.agentRequests}-${agent}`),
  ];
  const queueAges = createQueueAges(serviceBusOf(config, { retryOptions: PEEK_RETRY }), consumed);
  const orderGauges = createOrderGauges(orders);
  const stock = { ...ports, orderGauges, queueAges };
  const supervisionContainer = database.container(config.SupervisionContainer);
  const attention = createAttention({
    openOrders: createOpenOrders(orders),
    orderGauges,
    clockSkewMs: config.ClockSkew,
    now,
  });
  const { retention } = ports;
  const closedAtOnceFor = retention && !retention.archive ? retention.keepMs : undefined;
  const known = {
    workflow: [...new Set(knownWorkflows.map(({ name }) => name))],
    agent: routedAgents,
  };
  const console: ConsolePorts = {
    awaiting: createAwaiting({ orders: createAwaitingOrders(orders), workflows: knownWorkflows, now }),
    attention,
    pauses,
    agents: createAgentStandings({ health, pauses, known, now }),
    known,
    traffic: createTraffic({
      recent: createRecentOrders(orders, closedAtOnceFor),
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
    const sources = { orders: config.OrdersQueue, ownedQueues, agentReplies, teamQueues };
    const own = deadLetterQueuesOf({ consumed, quarantine, ...sources });
    deadLetters ??= createServiceBusDeadLetters(serviceBusOf(config, { retryOptions: PEEK_RETRY }), senders, own);
    return { ...ports, deadLetters, discarded };
  };
  const workflowsKnown = { known: knownWorkflows, register };
  const purgeProgress = createCosmosPurgeProgress(supervisionContainer, orders, ports.taskHub);
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

/** Of this process, for people: an instance of Azure has a long name. */
function instanceName({ WEBSITE_INSTANCE_ID: instance }: Config): string {
  return `${(instance || "host").slice(0, 8)}-${process.pid}`;
}

function retentionOf(config: Config, store: ClosingStore): Retention | undefined {
  const { EndedOrdersKeptFor: keepMs, ResubmitWithin: resubmitWithinMs, OrderArchive: container } = config;
  if (keepMs === undefined) return undefined;
  const archive =
    container === undefined
      ? undefined
      : createBlobOrderArchive(blobsOf(config, { retryOptions: ARCHIVE_RETRY }).getContainerClient(container));
  return { store, keepMs, resubmitWithinMs, archive };
}
