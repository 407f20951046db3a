// The host's connection to the broker, cut while the SDK waits for an answer on it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { FaultProxy } from "@scheduler-agent-supervisor/local";
import { type RunningBus, startBus } from "@scheduler-agent-supervisor/local/bus";
import { startHost } from "@scheduler-agent-supervisor/local/host";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { messagesIn } from "../support/queue-contents.ts";

const APP = join(import.meta.dirname, "../../packages/local/src/host/fixtures/bus-app");
const folder = mkdtempSync(join(tmpdir(), "host-bus-connection-"));
const queues = ["one", "binary", "many", "by-session", "many-by-session", "sent", "forward"].map((name) => ({
  name,
  properties: { lockDuration: "PT5S", requiresSession: name.endsWith("by-session") },
}));

const busRuns: { readonly name: string; readonly message: unknown }[] = [];
Object.assign(globalThis, { busRuns });

const bodiesOf = (name: string) => busRuns.filter((run) => run.name === name).map(({ message }) => message);

let bus: RunningBus;
let client: ServiceBusClient;

beforeAll(async () => {
  bus = await startBus({ port: 0, adminPort: 0, data: join(folder, "bus"), queues });
  client = new ServiceBusClient(bus.connectionString);
});
afterAll(async () => {
  await client.close();
  await bus.close();
  rmSync(folder, { recursive: true });
});

test("cut while the SDK waits for an answer: the host receives again at once, and what a function returned is sent", async () => {
  await using network = await FaultProxy.start();
  const port = network.to(bus.port);
  const connection = bus.connectionString.replace(`:${bus.port}`, `:${port}`);
  const settings = { AzureWebJobsBus: connection, OneQueue: "one", ManyQueue: "many" };
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const host = await startHost({ appDir: APP, port: 0, data: join(folder, "host"), settings, log });
  const sender = client.createSender("one");
  await sender.sendMessages({ body: "before" });
  await vi.waitFor(() => expect(bodiesOf("one")).toContain("before"), 8000);

  const inHand = { pauseMs: 2000 };
  await sender.sendMessages({ body: inHand });
  await vi.waitFor(() => expect(bodiesOf("one")).toContainEqual(inHand), 8000);

  network.stall();
  const answer = fetch(`${host.baseUrl}/api/send`, {
    method: "POST",
    body: '"kept"',
    signal: AbortSignal.timeout(10_000),
  });
  // The SDK has asked for the right to send, and would wait 60 s for the answer before it connects again.
  await sleep(500);
  network.cut();
  await sender.sendMessages({ body: "after" });

  await vi.waitFor(() => expect(bodiesOf("one")).toContain("after"), 5000);
  expect((await answer).status).toBe(202);
  const receiver = client.createReceiver("sent");
  const sent = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  expect(sent.map(({ body }) => String(body))).toEqual(["kept"]);

  // Its lock outlives the connection over which it came: it is completed over the next one.
  await vi.waitFor(() => expect(bodiesOf("one-ended")).toContainEqual(inHand), 5000);
  await vi.waitFor(async () => expect(await messagesIn(client, "one")).toEqual([]), 2000);
  expect(bodiesOf("one").filter((body) => typeof body === "object")).toEqual([inHand]);

  // Once for the outage, whatever number of functions receive.
  const logged = lines.filter((line) => line.includes("Service Bus"));
  expect(logged).toEqual([
    expect.stringContaining("warn  host: Service Bus is not connected (127.0.0.1): "),
    expect.stringContaining("info  host: Service Bus is connected again (127.0.0.1)"),
  ]);
  // The one that was cut, and the one that it was replaced by.
  network.cut();
  expect(network.crashed).toBe(2);

  await receiver.close();
  await sender.close();
  await host.close(100);
});
