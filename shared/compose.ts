// Puts the app together: the ports, made once a process, from the settings.
import { CosmosClient } from "@azure/cosmos";
import { ServiceBusClient } from "@azure/service-bus";
import { agentOperations, createAgents } from "./agents/agents.ts";
import { type Config, parseConfig } from "./config.ts";
import { createServiceBusMessenger } from "./messaging/service-bus-messenger.ts";
import type { Ports } from "./operations/ports.ts";
import { createCosmosOrderStore } from "./store/cosmos-order-store.ts";
import { connectSupervision } from "./supervision/connect.ts";
import { loadWorkflows } from "./workflows/workflows.ts";

/** The SDK's usual minute for an answer, and pauses of up to 30 s, would sit out many restarts of a broker. */
const BUS_RETRY = { maxRetries: 8, retryDelayInMs: 300, maxRetryDelayInMs: 3000, timeoutInMs: 5000 } as const;

let composed: Ports | undefined;

/** The app's ports; the first call reads the settings and throws one error that names all that is wrong with them. */
export function ports(): Ports {
  composed ??= compose(parseConfig(process.env));
  return composed;
}

export function compose(config: Config): Ports {
  const workflows = loadWorkflows(agentOperations);
  const database = new CosmosClient(config.Cosmos).database(config.CosmosDatabase);
  const bus = new ServiceBusClient(config.ServiceBus, { retryOptions: BUS_RETRY });
  return {
    store: createCosmosOrderStore(database.container(config.OrdersContainer)),
    messenger: createServiceBusMessenger(bus, { scheduler: config.SchedulerQueue, quarantine: config.QuarantineQueue }),
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
        breaker: {
          failures: config.BreakerFailures,
          openMs: config.BreakerOpenFor,
          longestOpenMs: config.BreakerOpenFor * 5,
        },
      },
    ),
    workflows,
    rules: { workflows: workflows.names, replyQueuePattern: config.ReplyQueuePattern },
    timing: { claimWithinMs: config.ClaimWithin, clockSkewMs: config.ClockSkew, sweepWithinMs: config.SweepWithin },
    taskHub: config.AzureFunctionsJobHost__extensions__durableTask__hubName,
    ...connectSupervision(
      {
        storage: config.AzureWebJobsStorage,
        ledgerContainer: config.SupervisionContainer,
        leaseSeconds: config.LeaseSeconds,
        idleSweepEveryMs: config.IdleSweepRecordedEvery,
        hostName: config.WEBSITE_HOSTNAME,
      },
      database,
    ),
    now: Date.now,
  };
}
