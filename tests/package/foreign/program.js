// @ts-check
// A program of somebody else's: starts the stack with its app, sends with one SDK, reads with another, and stops.
import { CosmosClient } from "@azure/cosmos";
import { ServiceBusClient } from "@azure/service-bus";
import { startStack } from "@scheduler-agent-supervisor/local";
import { startBus } from "@scheduler-agent-supervisor/local/bus";

const stack = await startStack({
  appDir: "app",
  data: "data",
  ports: "free",
  parts: ["bus", "cosmos"],
  queuesFile: "queues.json",
  cosmosFile: "containers.json",
  settingsFor: ({ bus, cosmos }) => ({ Bus: bus?.connectionString ?? "", Cosmos: cosmos?.connectionString ?? "" }),
});
const { bus, cosmos } = stack.addresses;

if (!bus || !cosmos) throw new Error("a part did not start");
const client = new ServiceBusClient(bus.connectionString);
await client.createSender("names").sendMessages({ body: { name: "Ada" } });
const items = new CosmosClient(cosmos.connectionString).database("people").container("greetings").items;
/** @type {string[]} */
let found = [];
for (const giveUpAt = Date.now() + 20_000; found.length === 0 && Date.now() < giveUpAt; ) {
  found = (await items.query("SELECT VALUE c.text FROM c").fetchAll()).resources;
}
console.log(found.join());
await client.close();
await stack.stop();

// One part alone, in this process.
const alone = await startBus({ port: 0, adminPort: 0, data: "alone", queues: [{ name: "q", properties: {} }] });
console.log(alone.connectionString.split(";")[0]);
await alone.close();
