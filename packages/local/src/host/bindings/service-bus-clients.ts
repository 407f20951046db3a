// The connections to Service Bus, one for each connection string, shared by all functions and output bindings of the app.
import { setTimeout as pause } from "node:timers/promises";
import { ServiceBusClient, type ServiceBusMessage, type ServiceBusSender } from "@azure/service-bus";

const TRY_AGAIN_AFTER_MS = 300;
/** As often as the SDK itself by default. */
const SEND_AGAIN = 3;
/** A broker that is gone must not hold up the end of the host. */
const CLOSE_WITHIN_MS = 300;

const NOTHING_TO_END = async () => undefined;

type Say = (level: "information" | "warning", text: string) => void;

/** Begins to receive; the answer ends it. Called again for each new connection, after the last one was lost. */
type Reception = (client: ServiceBusClient) => () => Promise<void>;

export class ServiceBusClients {
  readonly #connections = new Map<string, Connection>();
  readonly #say: Say;

  /** @param say told when a connection is lost, and when there is one again */
  constructor(say: Say) {
    this.#say = say;
  }

  /** Receives until the answer is called, through outages of the broker. */
  receive(connectionString: string, reception: Reception): () => Promise<void> {
    return this.#connection(connectionString).receive(reception);
  }

  /** Sends to a queue, again if the connection was lost meanwhile: then a message may arrive twice. */
  async send(connectionString: string, entity: string, messages: ServiceBusMessage[]): Promise<void> {
    await this.#connection(connectionString).send(entity, messages);
  }

  async close(): Promise<void> {
    await within(CLOSE_WITHIN_MS, Promise.allSettled([...this.#connections.values()].map((each) => each.close())));
  }

  #connection(connectionString: string): Connection {
    let connection = this.#connections.get(connectionString);
    if (!connection) {
      connection = new Connection(connectionString, this.#say);
      this.#connections.set(connectionString, connection);
    }
    return connection;
  }
}

/**
 * A new client for each connection. The SDK would connect again by itself, but if it was waiting for an answer when the
 * connection was lost, it first waits until that answer's 60 s are over, and nothing is received or sent until then.
 */
class Connection {
  readonly #connectionString: string;
  readonly #say: Say;
  readonly #receptions = new Map<Reception, () => Promise<void>>();
  readonly #senders = new Map<string, ServiceBusSender>();
  #client: ServiceBusClient;
  /** Ends what waits for an answer over the client's connection. */
  #lost = new AbortController();
  #beginAgain: NodeJS.Timeout | undefined;
  #isLost = false;
  #closed = false;

  constructor(connectionString: string, say: Say) {
    this.#connectionString = connectionString;
    this.#say = say;
    this.#client = this.#open();
  }

  receive(reception: Reception): () => Promise<void> {
    // After a loss all begin together.
    this.#receptions.set(reception, this.#beginAgain ? NOTHING_TO_END : reception(this.#client));
    return async () => {
      const end = this.#receptions.get(reception);
      this.#receptions.delete(reception);
      await end?.();
    };
  }

  async send(entity: string, messages: ServiceBusMessage[]): Promise<void> {
    for (let left = SEND_AGAIN; ; left -= 1) {
      const { signal } = this.#lost;
      try {
        await this.#sender(entity).sendMessages(messages, { abortSignal: signal });
        return;
      } catch (cause) {
        if (!signal.aborted || left === 0 || this.#closed) throw cause;
        await pause(TRY_AGAIN_AFTER_MS);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#beginAgain);
    await this.#client.close();
  }

  #open(): ServiceBusClient {
    const client = new ServiceBusClient(this.#connectionString, {
      retryOptions: { retryDelayInMs: TRY_AGAIN_AFTER_MS },
    });
    const connection = connectionOf(client);
    connection.once("connection_open", () => this.#opened());
    connection.once("disconnected", ({ error }) => this.#lose(client, error));
    return client;
  }

  #opened(): void {
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#say("information", `Service Bus is connected again (${this.#client.fullyQualifiedNamespace})`);
  }

  #lose(client: ServiceBusClient, cause?: Error): void {
    if (this.#closed) return;
    const why = cause?.message ?? "it closed the connection";
    if (!this.#isLost)
      this.#say("warning", `Service Bus is not connected (${client.fullyQualifiedNamespace}): ${why}; trying again`);
    this.#isLost = true;
    this.#senders.clear();
    this.#lost.abort();
    this.#lost = new AbortController();
    this.#client = this.#open();
    // Not waited for: what the SDK waits for does not come any more.
    for (const [reception, end] of this.#receptions) {
      void end().catch(() => undefined);
      this.#receptions.set(reception, NOTHING_TO_END);
    }
    void client.close().catch(() => undefined);
    this.#beginAgain ??= setTimeout(() => {
      this.#beginAgain = undefined;
      for (const reception of this.#receptions.keys()) this.#receptions.set(reception, reception(this.#client));
    }, TRY_AGAIN_AFTER_MS);
  }

  #sender(entity: string): ServiceBusSender {
    let sender = this.#senders.get(entity);
    if (!sender) {
      sender = this.#client.createSender(entity);
      this.#senders.set(entity, sender);
    }
    return sender;
  }
}

interface SdkConnection {
  once(event: "connection_open" | "disconnected", listener: (context: { readonly error?: Error }) => void): void;
}

/** The SDK tells nobody that a connection was lost: this is its own connection, made with the client and not yet open. */
function connectionOf(client: ServiceBusClient): SdkConnection {
  const context: unknown = Reflect.get(client, "_connectionContext");
  const connection: unknown = context !== null && typeof context === "object" && Reflect.get(context, "connection");
  if (!isConnection(connection))
    throw new Error("The host needs @azure/service-bus 7.9.5; the one installed has no _connectionContext.connection.");
  return connection;
}

function isConnection(value: unknown): value is SdkConnection {
  return value !== null && typeof value === "object" && typeof Reflect.get(value, "once") === "function";
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
