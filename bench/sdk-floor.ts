// The SDK floor, a process of its own: an order's requests by the same SDKs on the same services, without an engine, functions or telemetry.
import { CosmosClient } from "@azure/cosmos";
import { ServiceBusClient } from "@azure/service-bus";
import { REPLY_QUEUE } from "../cli/every-app/reply-queues.ts";
import { type FloorClient, floorQueue, record, type Services, workThrough } from "./order-requests.ts";

/** What the app gets from its own settings. */
export interface FloorSettings {
  readonly bus: string;
  readonly cosmos: string;
  readonly remotes: readonly string[];
  readonly statuses: "all" | "end";
  readonly client: FloorClient;
}

/** As host.json has them: messages received at once, and activities. */
const RECEIVED_AT_ONCE = 32;
const ORDERS_AT_ONCE = 64;

const { bus, cosmos, remotes, statuses, client: own } = JSON.parse(process.argv[2] ?? "{}") as FloorSettings;
const client = new ServiceBusClient(bus);

/** The core is loaded for this client alone: the SDK's own should be as it is without it. */
async function clientOfTheApp(): Promise<CosmosClient> {
  const { cosmosOf } = await import("@scheduler-agent-supervisor/core/create-app");
  return cosmosOf({ Cosmos: cosmos });
}

const store = own === "app" ? await clientOfTheApp() : new CosmosClient({ connectionString: cosmos });
const services: Services = {
  container: store.database("jobs").container("jobs"),
  replies: client.createSender(REPLY_QUEUE),
  remotes,
};
const waiting: string[] = [];
let underWay = 0;

function pump(): void {
  while (underWay < ORDERS_AT_ONCE) {
    const orderId = waiting.shift();
    if (orderId === undefined) return;
    underWay += 1;
    void workThrough(services, orderId, statuses)
      .finally(() => {
        underWay -= 1;
      })
      .then(pump, fail);
  }
}

function fail(cause: unknown): never {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exit(1);
}

const receiver = client.createReceiver(floorQueue(own));
receiver.subscribe(
  {
    async processMessage(message) {
      const { orderId } = message.body as { orderId: string };
      await record(services, orderId);
      await receiver.completeMessage(message);
      waiting.push(orderId);
      pump();
    },
    async processError({ error }) {
      fail(error);
    },
  },
  { autoCompleteMessages: false, maxConcurrentCalls: RECEIVED_AT_ONCE },
);
process.on("disconnect", () => process.exit());
process.send?.("ready");
