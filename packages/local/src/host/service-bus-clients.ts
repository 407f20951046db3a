// One Service Bus connection for each connection string, shared by all functions and output bindings of the app.
import { ServiceBusClient, type ServiceBusSender } from "@azure/service-bus";

/** With the SDK's own pauses a subscription took 28 s to come back after an outage of 1.5 s; with this one, 0.2 s. */
const RETRY_DELAY_MS = 300;
/** A broker that is gone must not hold up the end of the host. */
const CLOSE_WITHIN_MS = 300;

export class ServiceBusClients {
  readonly #clients = new Map<string, ServiceBusClient>();
  readonly #senders = new Map<string, ServiceBusSender>();

  client(connectionString: string): ServiceBusClient {
    let client = this.#clients.get(connectionString);
    if (!client) {
      client = new ServiceBusClient(connectionString, { retryOptions: { retryDelayInMs: RETRY_DELAY_MS } });
      this.#clients.set(connectionString, client);
    }
    return client;
  }

  sender(connectionString: string, entity: string): ServiceBusSender {
    const key = `${entity} ${connectionString}`;
    let sender = this.#senders.get(key);
    if (!sender) {
      sender = this.client(connectionString).createSender(entity);
      this.#senders.set(key, sender);
    }
    return sender;
  }

  async close(): Promise<void> {
    await within(CLOSE_WITHIN_MS, Promise.allSettled([...this.#clients.values()].map((client) => client.close())));
  }
}

/** Waits for `work`, but no longer than `timeoutMs`; its failure counts as its end. */
export async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work.catch(() => undefined), timeout]);
  clearTimeout(timer);
}
