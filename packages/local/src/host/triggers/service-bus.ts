// Service Bus triggers: receives under lock, completes after success, abandons after a throw; through outages of the broker.
import { randomUUID } from "node:crypto";
import type {
  ProcessErrorArgs,
  ServiceBusClient,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
} from "@azure/service-bus";
import { messageOf } from "../../thrown.ts";
import type { IncomingMessage } from "../bindings/message-body.ts";
import { type ServiceBusClients, within } from "../bindings/service-bus-clients.ts";
import { batchInput, isBinary, messageInput, traceParent } from "../bindings/service-bus-message.ts";
import type { ServiceBusSettings } from "../host-json.ts";
import { describeFault } from "../invocation.ts";
import { type BatchSource, isSession, receiveBatches } from "./batch-loop.ts";
import { hostLine, type Listener, type ListenerContext } from "./listener.ts";
import type { MessageActions, MessageSource } from "./message-source.ts";
import { noSession, receiveFault, receiveSessions } from "./sessions.ts";

/** A message from the moment when it is received until it is settled. */
interface Delivery {
  readonly message: ServiceBusReceivedMessage;
  readonly settler: MessageActions;
  /** Set when it is settled, or is about to be. */
  settled: boolean;
}

const STOP_WITHIN_MS = 1500;
const SAY_AGAIN_AFTER_MS = 30_000;

export function serviceBusListener(
  context: ListenerContext,
  clients: ServiceBusClients,
  settings: ServiceBusSettings,
): Listener {
  return new ServiceBusListener(context, clients, settings);
}

class ServiceBusListener implements Listener {
  readonly functionName: string;
  readonly #context: ListenerContext;
  readonly #clients: ServiceBusClients;
  readonly #settings: ServiceBusSettings;
  readonly #say: ReturnType<typeof hostLine>;
  readonly #binary: boolean;
  readonly #autoComplete: boolean;
  readonly #takesMany: boolean;
  readonly #underWay = new Map<Delivery, Promise<void>>();
  #receiver: ServiceBusReceiver | undefined;
  /** Settles over the connection of the moment: a lock outlives the connection over which its message came. */
  readonly #current: MessageActions = {
    completeMessage: async (message) => await this.#receiver?.completeMessage(message),
    abandonMessage: async (message, properties) => await this.#receiver?.abandonMessage(message, properties),
  };
  #close: () => Promise<void> = async () => undefined;
  #said = { text: "", at: 0 };

  constructor(context: ListenerContext, clients: ServiceBusClients, settings: ServiceBusSettings) {
    const { dataType, autoCompleteMessages, cardinality } = context.registered.trigger;
    this.functionName = context.registered.name;
    this.#context = context;
    this.#clients = clients;
    this.#settings = settings;
    this.#say = hostLine(context);
    this.#binary = isBinary(dataType);
    this.#autoComplete =
      typeof autoCompleteMessages === "boolean" ? autoCompleteMessages : settings.autoCompleteMessages;
    this.#takesMany = typeof cardinality === "string" && cardinality.toLowerCase() === "many";
    queueOf(context);
  }

  start(): void {
    const { connection } = this.#context.registered.trigger;
    this.#close = this.#clients.receive(String(connection), (client) => {
      const ended = new AbortController();
      const end = this.#receive(client, ended.signal);
      return () => {
        ended.abort();
        return end();
      };
    });
  }

  #receive(client: ServiceBusClient, ended: AbortSignal): () => Promise<void> {
    const { queueName, isSessionsEnabled } = this.#context.registered.trigger;
    const options = {
      skipParsingBodyAsJson: true,
      // The SDK would make numbers of dates among the application properties.
      skipConvertingDate: true,
      maxAutoLockRenewalDurationInMs: this.#takesMany ? 0 : this.#settings.maxAutoLockRenewalDurationMs,
    };
    const source: MessageSource = {
      handle: (message, settler) => this.#take({ message, settler, settled: false }),
      // What fails after the end is the SDK's way out of what it was doing.
      failed: async (args) => (ended.aborted ? undefined : this.#tellOutage(args)),
    };
    const accept = () => client.acceptNextSession(String(queueName), options);
    const open = () => client.createReceiver(String(queueName), options);
    const hasSessions = isSessionsEnabled === true;
    if (hasSessions && !this.#takesMany) return receiveSessions(accept, source, this.#settings);
    const receiver = open();
    this.#receiver = receiver;
    if (this.#takesMany) {
      const next = hasSessions ? () => accept().catch((cause) => noSession(cause, source)) : async () => open();
      return receiveBatches(this.#batchSource(next, source), this.#settings);
    }
    // The SDK's subscription tries for ever, also when the entity is not there yet.
    const subscription = receiver.subscribe(
      { processMessage: (message) => source.handle(message, this.#current), processError: source.failed },
      { autoCompleteMessages: false, maxConcurrentCalls: this.#settings.maxConcurrentCalls },
    );
    return () => subscription.close();
  }

  async stop(): Promise<void> {
    await within(STOP_WITHIN_MS, this.#close());
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async handBack(): Promise<void> {
    const deliveries = [...this.#underWay.keys()].filter(({ settled }) => !settled);
    if (deliveries.length > 0)
      this.#say("warning", `hands back ${deliveries.length} messages: their runs did not end in time`);
    await Promise.all(deliveries.map((delivery) => this.#settle(delivery, "abandoned")));
  }

  async runByHand(input = ""): Promise<void> {
    const message = { body: Buffer.from(input), messageId: randomUUID(), deliveryCount: 0 };
    await (this.#takesMany ? this.#invokeBatch([message]) : this.#invoke(message));
  }

  #take(delivery: Delivery): Promise<void> {
    const work = this.#handle(delivery);
    this.#underWay.set(delivery, work);
    return work.finally(() => this.#underWay.delete(delivery));
  }

  /** Never rejects: settling is done here, so that the SDK has nothing to abandon. */
  async #handle(delivery: Delivery): Promise<void> {
    await this.#settleAll([delivery], await this.#invoke(delivery.message));
  }

  async #settleAll(deliveries: readonly Delivery[], succeeded: boolean): Promise<void> {
    if (succeeded && !this.#autoComplete) return;
    const how = succeeded ? "completed" : "abandoned";
    await Promise.all(deliveries.map((delivery) => this.#settle(delivery, how)));
  }

  async #settle(delivery: Delivery, how: "completed" | "abandoned"): Promise<void> {
    const { message, settler } = delivery;
    if (delivery.settled) return;
    delivery.settled = true;
    try {
      await (how === "completed" ? settler.completeMessage(message) : settler.abandonMessage(message));
    } catch (cause) {
      this.#say("warning", `message ${message.messageId} cannot be ${how} and comes again: ${messageOf(cause)}`);
    }
  }

  #invoke(message: IncomingMessage): Promise<boolean> {
    const input = () => messageInput(message, this.#binary);
    return this.#run(input, traceParent(message), `message ${message.messageId}`);
  }

  #batchSource(accept: BatchSource["accept"], { failed }: MessageSource): BatchSource {
    return {
      accept,
      run: (messages, receiver) => this.#takeBatch(messages, receiver),
      giveBack: async (messages) => {
        const deliveries = messages.map((message) => ({ message, settler: this.#current, settled: false }));
        await this.#settleAll(deliveries, false);
      },
      failed: (cause) => failed(receiveFault(cause)),
    };
  }

  async #takeBatch(messages: readonly ServiceBusReceivedMessage[], receiver: ServiceBusReceiver): Promise<void> {
    const settler = isSession(receiver) ? receiver : this.#current;
    const deliveries = messages.map((message) => ({ message, settler, settled: false }));
    const work = this.#handleBatch(deliveries, receiver);
    for (const delivery of deliveries) this.#underWay.set(delivery, work);
    await work;
    for (const delivery of deliveries) this.#underWay.delete(delivery);
  }

  async #handleBatch(deliveries: readonly Delivery[], receiver: ServiceBusReceiver): Promise<void> {
    const succeeded = await this.#invokeBatch(deliveries.map(({ message }) => message));
    const now = new Date();
    const session = isSession(receiver) ? receiver.sessionLockedUntilUtc : undefined;
    const isLocked = ({ message }: Delivery) => (session ?? message.lockedUntilUtc ?? now) >= now;
    const lost = deliveries.filter((delivery) => !isLocked(delivery)).length;
    if (lost > 0)
      this.#say("warning", `${lost} messages of a batch come again: in Azure too, their locks are not renewed`);
    await this.#settleAll(deliveries.filter(isLocked), succeeded);
  }

  #invokeBatch(messages: readonly IncomingMessage[]): Promise<boolean> {
    const input = () => batchInput(messages, this.#binary);
    return this.#run(input, undefined, `batch of ${messages.length} messages`);
  }

  /** What cannot be bound fails as a function does that throws. */
  async #run(input: () => ReturnType<typeof messageInput>, trace: string | undefined, what: string): Promise<boolean> {
    const { app, registered } = this.#context;
    try {
      const { data, metadata: triggerMetadata } = input();
      await app.invoke(registered.name, {
        invocationId: randomUUID(),
        inputs: { [registered.triggerName]: data },
        triggerMetadata,
        ...(trace !== undefined && { traceParent: trace }),
      });
      return true;
    } catch (cause) {
      this.#say("error", `failed on ${what}: ${describeFault(cause)}`);
      return false;
    }
  }

  /** An outage is told once and then every half minute, not at every attempt. */
  #tellOutage({ error, errorSource }: ProcessErrorArgs): void {
    const text = `Service Bus, queue ${queueOf(this.#context)}: ${errorSource}: ${error.message}`;
    if (text === this.#said.text && Date.now() - this.#said.at < SAY_AGAIN_AFTER_MS) return;
    this.#said = { text, at: Date.now() };
    this.#say("warning", text);
  }
}

/** The queue's name; throws when the trigger names none. */
function queueOf({ registered }: ListenerContext): string {
  const { queueName } = registered.trigger;
  if (typeof queueName === "string" && queueName) return queueName;
  throw new Error("its Service Bus trigger names no queue");
}
