// P16: a connection to the bus that gives no answer any more is left for a new one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceBusClient, ServiceBusError } from "@azure/service-bus";
import { FaultProxy } from "@scheduler-agent-supervisor/local";
import { type RunningBus, startBus } from "@scheduler-agent-supervisor/local/bus";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createBusSenders, ONE_TRY } from "./bus-senders.ts";

let data: string;
let bus: RunningBus;
let proxy: FaultProxy;
let opened = 0;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "senders-"));
  bus = await startBus({ port: 0, adminPort: 0, data, queues: [{ name: "jobs", properties: {} }] });
  proxy = await FaultProxy.start();
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await bus?.close();
  await rm(data, { recursive: true });
});

function open(): ServiceBusClient {
  opened += 1;
  const throughProxy = bus.connectionString.replace(`:${bus.port}`, `:${proxy.to(bus.port)}`);
  return new ServiceBusClient(throughProxy, { retryOptions: ONE_TRY });
}

test("P16 what was sent into a connection that timed out goes over a new one, and only one is opened for all", async () => {
  const senders = createBusSenders(open);
  await senders.send("jobs", { body: "before" });
  expect(opened).toBe(1);
  proxy.stall();
  const bodies = ["one", "two", "three"];
  const begun = Date.now();
  await Promise.all(bodies.map((body) => senders.send("jobs", { body })));
  expect(opened).toBe(2);
  // The first try's whole time, and not that of nine.
  expect(Date.now() - begun).toBeLessThan(4 * ONE_TRY.timeoutInMs);

  const client = new ServiceBusClient(bus.connectionString);
  const peeked = await client.createReceiver("jobs").peekMessages(10);
  expect(peeked.map(({ body }) => body).sort()).toEqual(["before", ...bodies].sort());
  await client.close();
});

test("what a queue rejects is not tried again", async () => {
  const client = open();
  const sender = client.createSender("nowhere");
  const tries = vi.spyOn(sender, "sendMessages");
  vi.spyOn(client, "createSender").mockReturnValue(sender);
  const rejected = createBusSenders(() => client).send("nowhere", { body: 1 });
  await expect(rejected).rejects.toBeInstanceOf(ServiceBusError);
  await expect(rejected).rejects.toMatchObject({ code: "MessagingEntityNotFound" });
  expect(tries).toHaveBeenCalledTimes(1);
});
