// For tests: a broker of its own on free ports and a temporary folder, and the real SDK connected to it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ServiceBusAdministrationClient,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import type { QueueEntity } from "../entities/declared-entities.ts";
import { type BusOptions, type RunningBus, startBus } from "../start.ts";

export class BusUnderTest {
  readonly folder = mkdtempSync(join(tmpdir(), "bus-"));
  durability: NonNullable<BusOptions["durability"]> = "normal";
  strictness: Pick<BusOptions, "requireClaims" | "serverBusyEvery" | "idleDetachMs"> = {};
  #bus: RunningBus | undefined;
  #client: ServiceBusClient | undefined;

  get bus(): RunningBus {
    if (!this.#bus) throw new Error("The bus under test was not started");
    return this.#bus;
  }

  get client(): ServiceBusClient {
    if (!this.#client) throw new Error("The bus under test was not started");
    return this.#client;
  }

  async start(queues: readonly QueueEntity[], port = 0, tls?: BusOptions["tls"]): Promise<void> {
    const { folder: data, durability, strictness } = this;
    this.#bus = await startBus({ port, adminPort: 0, tls, data, durability, ...strictness, queues });
    this.#client = connect(this.#bus.connectionString);
  }

  async stop(): Promise<void> {
    await this.#client?.close();
    await this.#bus?.close();
  }

  async destroy(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The client insists on https and on the port of the connection string; here it is led to plain HTTP. */
  administer(connectionString = this.bus.connectionString): ServiceBusAdministrationClient {
    const client = new ServiceBusAdministrationClient(connectionString, { retryOptions: { maxRetries: 0 } });
    client.pipeline.addPolicy({
      name: "plain-http",
      sendRequest: (request, next) => {
        const url = new URL(request.url);
        request.url = `http://127.0.0.1:${this.bus.adminPort}${url.pathname}${url.search}`;
        request.allowInsecureConnection = true;
        return next(request);
      },
    });
    return client;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.bus.adminPort}${path}`);
    return (await response.json()) as T;
  }
}

export function connect(connectionString: string): ServiceBusClient {
  return new ServiceBusClient(connectionString, { retryOptions: { retryDelayInMs: 300, maxRetries: 1 } });
}

/** Receives one message or fails. */
export async function receiveOne(
  receiver: ServiceBusReceiver,
  maxWaitTimeInMs = 3000,
): Promise<ServiceBusReceivedMessage> {
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs });
  if (!message) throw new Error(`Nothing to receive from ${receiver.entityPath} in ${maxWaitTimeInMs} ms`);
  return message;
}

/** What is there at once. */
export function receiveNow(receiver: ServiceBusReceiver, count = 10): Promise<ServiceBusReceivedMessage[]> {
  return receiver.receiveMessages(count, { maxWaitTimeInMs: 150 });
}
