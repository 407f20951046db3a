// The host's connection to the broker, cut while the SDK waits for an answer on it.
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { type RunningBus, startBus } from "@scheduler-agent-supervisor/local/bus/start";
import { startHost } from "@scheduler-agent-supervisor/local/host/start";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const APP = join(import.meta.dirname, "../../packages/local/src/host/fixtures/bus-app");
const folder = mkdtempSync(join(tmpdir(), "host-bus-connection-"));
const queues = ["one", "binary", "many", "by-session", "sent", "forward"].map((name) => ({
  name,
  properties: { lockDuration: "PT5S", requiresSession: name === "by-session" },
}));
const topics = [
  { name: "events", properties: {}, subscriptions: ["red", "all"].map((name) => ({ name, properties: {} })) },
];

const busRuns: { readonly name: string; readonly message: unknown }[] = [];
Object.assign(globalThis, { busRuns });

/** What the host connects to: it can keep back the broker's answers, and cut every connection. */
class Network {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [host: Socket, broker: Socket]>();
  /** How many connections there were. */
  connections = 0;

  constructor(broker: number) {
    this.#server = createServer((host) => {
      this.connections += 1;
      const pair = [host, connect(broker, "127.0.0.1")] as const;
      this.#pairs.add(pair);
      host.pipe(pair[1]).pipe(host);
      for (const socket of pair) socket.on("error", () => undefined).on("close", () => this.#cut(pair));
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on nothing of the broker arrives on the connections that are open. */
  stall(): void {
    for (const [host, broker] of this.#pairs) {
      broker.unpipe(host);
      broker.resume();
    }
  }

  cut(): void {
    for (const pair of this.#pairs) this.#cut(pair);
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #cut(pair: readonly [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }
}

let bus: RunningBus;
let client: ServiceBusClient;

beforeAll(async () => {
  bus = await startBus({ port: 0, adminPort: 0, data: join(folder, "bus"), queues, topics });
  client = new ServiceBusClient(bus.connectionString);
});
afterAll(async () => {
  await client.close();
  await bus.close();
  rmSync(folder, { recursive: true });
});

test("cut while the SDK waits for an answer: the host receives again at once, and what a function returned is sent", async () => {
  const network = new Network(bus.port);
  const port = await network.listen();
  const settings = { AzureWebJobsBus: bus.connectionString.replace(`:${bus.port}`, `:${port}`), OneQueue: "one" };
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const host = await startHost({ appDir: APP, port: 0, data: join(folder, "host"), settings, log });
  const sender = client.createSender("one");
  await sender.sendMessages({ body: "before" });
  await vi.waitFor(() => expect(busRuns.map(({ message }) => message)).toContain("before"), 8000);

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

  await vi.waitFor(() => expect(busRuns.map(({ message }) => message)).toContain("after"), 5000);
  expect((await answer).status).toBe(202);
  const receiver = client.createReceiver("sent");
  const sent = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  expect(sent.map(({ body }) => String(body))).toEqual(["kept"]);

  // Once for the outage, whatever number of functions receive.
  const logged = lines.filter((line) => line.includes("Service Bus"));
  expect(logged).toEqual([
    expect.stringContaining("warn  host: Service Bus is not connected (127.0.0.1): "),
    expect.stringContaining("info  host: Service Bus is connected again (127.0.0.1)"),
  ]);
  // The first one, and the one that it was replaced by.
  expect(network.connections).toBe(2);

  await receiver.close();
  await sender.close();
  await host.close(100);
  network.close();
}, 90_000);
