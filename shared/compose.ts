// Puts the app together: the ports, made once a process, from the settings.
import { createAgents, knownAgents } from "./agents/agents.ts";
import { type Config, parseConfig, parseTelemetryConfig } from "./config.ts";
import { blobsOf, cosmosOf, serviceBusOf } from "./connections.ts";
import { createBusSenders, ONE_TRY } from "./messaging/bus-senders.ts";
import { type DeadLetters, deadLetterQueuesOf } from "./messaging/dead-letters.ts";
import { createQueueAges } from "./messaging/queue-ages.ts";
import { createServiceBusDeadLetters } from "./messaging/service-bus-dead-letters.ts";
import { createServiceBusMessenger } from "./messaging/service-bus-messenger.ts";
import type { DeadLetterPorts } from "./operations/handle-dead-letter.ts";
import type { Ports } from "./operations/ports.ts";
import { createPressure } from "./operations/pressure.ts";
import type { StockPorts } from "./operations/take-stock.ts";
import { createCosmosOrderStore } from "./store/cosmos-order-store.ts";
import { createOrderCensus } from "./store/order-census.ts";
import { connectSupervision, STORAGE_RETRY } from "./supervision/connect.ts";
import { createHealthObserver, observeTry } from "./telemetry/agent-calls.ts";
import { isExporting } from "./telemetry/start.ts";
import { activeTraceparent } from "./telemetry/trace-context.ts";
import { tracedMessenger } from "./telemetry/traced-messenger.ts";
import { agentsAskedByQueue, loadWorkflows } from "./workflows/workflows.ts";

/** For the ages of the queues, which the next minute reads again. */
const PEEK_RETRY = { maxRetries: 3, retryDelayInMs: 300, timeoutInMs: 5000 } as const;

/** A first deployment gives roles just before it starts the app. */
const ROLES_ARE_NEW_S = 900;
const rolesAreNew = () => process.uptime() < ROLES_ARE_NEW_S;

interface App {
  readonly ports: Ports;
  readonly stock: StockPorts;
  readonly deadLetters: () => DeadLetterPorts;
}

let composed: App | undefined;

/** What every order's telemetry goes by; read when the app is loaded. */
export const telemetrySettings = parseTelemetryConfig(process.env);

/** The app's ports; the first call reads the settings and throws one error that names all that is wrong with them. */
export function ports(): Ports {
  return app().ports;
}

/** What the gauges are read from; as `ports`. */
export function stockPorts(): StockPorts {
  return app().stock;
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
  const workflows = loadWorkflows(knownAgents);
  const database = cosmosOf(config).database(config.CosmosDatabase);
  const senders = createBusSenders(() => serviceBusOf(config, { retryOptions: ONE_TRY }));
  const queues = {
    scheduler: config.SchedulerQueue,
    quarantine: config.QuarantineQueue,
    agentRequests: config.AgentRequestsQueue,
    agentReplies: config.AgentRepliesQueue,
  };
  const orders = database.container(config.OrdersContainer);
  const ports: Ports = {
    store: createCosmosOrderStore(orders, { rolesAreNew }),
    messenger: tracedMessenger(
      createServiceBusMessenger(senders, queues, { surroundingTrace: activeTraceparent, rolesAreNew }),
      queues,
    ),
    agents: createAgents(
      {
        inventory: config.InventoryEndpoints,
        payment: config.PaymentEndpoints,
        fraud: config.FraudEndpoints,
        shipping: config.ShippingEndpoints,
      },
      {
        now: Date.now,
        tryTimeoutMs: config.AgentTryTimeout,
        slowAfterMs: config.AgentSlowAfter,
        onHealth: createHealthObserver(),
        observeTry: isExporting(telemetrySettings) ? observeTry : undefined,
        breaker: {
          failures: config.BreakerFailures,
          openMs: config.BreakerOpenFor,
          longestOpenMs: config.BreakerOpenFor * 5,
        },
      },
    ),
    workflows,
    rules: { workflows: workflows.names, replyQueuePattern: config.ReplyQueuePattern },
    timing: {
      claimWithinMs: config.ClaimWithin,
      clockSkewMs: config.ClockSkew,
      sweepWithinMs: config.SweepWithin,
      reconcileAfterMs: config.ReconcileAfter,
      orchestrationsKeptForMs: config.OrchestrationsKeptFor,
    },
    taskHub: config.AzureFunctionsJobHost__extensions__durableTask__hubName,
    ...connectSupervision(
      {
        blobs: blobsOf(config, { retryOptions: STORAGE_RETRY }),
        ledgerContainer: config.SupervisionContainer,
        leaseSeconds: config.LeaseSeconds,
        idleSweepEveryMs: config.IdleSweepRecordedEvery,
        hostName: config.WEBSITE_HOSTNAME,
      },
      database,
    ),
    pressure: createPressure(config.BusyAbove, Date.now),
    operatorSignIn: config.OperatorSignIn,
    now: Date.now,
  };
  const consumed = [
    config.OrdersQueue,
    config.PriorityOrdersQueue,
    queues.scheduler,
    queues.agentReplies,
    ...[...agentsAskedByQueue].map((agent) => `${queues.agentRequests}-${agent}`),
  ];
  const queueAges = createQueueAges(serviceBusOf(config, { retryOptions: PEEK_RETRY }), consumed);
  const stock = { ...ports, census: createOrderCensus(orders), queueAges };
  let deadLetters: DeadLetters | undefined;
  const connected = () => {
    const { quarantine, agentReplies } = queues;
    const own = deadLetterQueuesOf({ consumed, quarantine, orders: config.OrdersQueue, agentReplies });
    deadLetters ??= createServiceBusDeadLetters(serviceBusOf(config, { retryOptions: PEEK_RETRY }), senders, own);
    return { ...ports, deadLetters };
  };
  return { ports, stock, deadLetters: connected };
}
