// A simulated service's worker: takes requests from a queue, as the process of an agent that is not in the app does, asks its service and replies.
import { setTimeout as sleep } from "node:timers/promises";
import type {
  ServiceBusClient,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusSender,
} from "@azure/service-bus";
import type { Database } from "../database/database.ts";
import { isObject } from "../json.ts";
import { inWords } from "../thrown.ts";
import type { ParsedQueue } from "./definition.ts";
import type { FaultKind, FaultRequest } from "./fault-request.ts";
import type { Service, ServiceReply } from "./service.ts";

export interface QueueWorkerOptions {
  readonly service: Service;
  readonly queue: ParsedQueue;
  readonly database: Database;
  readonly bus: string;
  /** Aborted on closing. */
  readonly hurry: AbortSignal;
  readonly log: (line: string) => void;
}

type Values = Readonly<Record<string, unknown>>;

const LOOK_AGAIN_MS = 100;
const RETRY_MS = 300;

/**
 * Works until it is closed. Order of writes: the effect, the reply, the settlement of the request. After a crash in between the request is delivered
 * again, and is known by its key. The broker may be killed, or not be there yet: the SDK connects again.
 */
export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #client: ServiceBusClient;
  readonly #senders = new Map<string, ServiceBusSender>();
  readonly #work: Promise<void>;

  /** The SDK is loaded only now: most definitions have no queue, and where there is no bus it need not be installed. */
  static async start(options: QueueWorkerOptions): Promise<QueueWorker> {
    const { ServiceBusClient } = await import("@azure/service-bus");
    return new QueueWorker(options, new ServiceBusClient(options.bus, { retryOptions: { retryDelayInMs: RETRY_MS } }));
  }

  private constructor(options: QueueWorkerOptions, client: ServiceBusClient) {
    this.#options = options;
    this.#client = client;
    this.#work = this.#run();
  }

  async close(): Promise<void> {
    await this.#work;
    await this.#client.close();
  }

  /** While it is down it has no link to its queue. */
  async #run(): Promise<void> {
    const { hurry } = this.#options;
    let receiver: ServiceBusReceiver | undefined;
    while (!hurry.aborted) {
      if (this.#isDown()) {
        await receiver?.close();
        receiver = undefined;
      } else receiver ??= this.#receive();
      await sleep(LOOK_AGAIN_MS, undefined, { signal: hurry }).catch(() => undefined);
    }
    await receiver?.close();
  }

  #isDown(): boolean {
    const { service, queue } = this.#options;
    return service.faults.isDownAt(queue.name);
  }

  #receive(): ServiceBusReceiver {
    const { service, queue, log } = this.#options;
    const receiver = this.#client.createReceiver(queue.name);
    receiver.subscribe(
      {
        processMessage: (message) => this.#take(receiver, message),
        processError: async ({ error, errorSource }) => {
          if (errorSource === "processMessageCallback") log(`${service.name}: ${inWords(error)}`);
        },
      },
      { maxConcurrentCalls: queue.atOnce, autoCompleteMessages: false },
    );
    return receiver;
  }

  async #take(receiver: ServiceBusReceiver, message: ServiceBusReceivedMessage): Promise<void> {
    const { service, queue, hurry } = this.#options;
    const body = message.body as Values;
    if (!isObject(body)) throw new Error(`a message of ${queue.name} is no JSON object: it has to be a request`);
    if (this.#isDown()) {
      await sleep(LOOK_AGAIN_MS * 2, undefined, { signal: hurry }).catch(() => undefined);
      return receiver.abandonMessage(message);
    }
    if (await this.#fault("hang", body)) {
      service.counts.hung += 1;
      return receiver.completeMessage(message);
    }
    const slow = await this.#fault("slow", body);
    if (slow) await sleep(slow.delayMs, undefined, { signal: hurry }).catch(() => undefined);
    const { status, body: text, lost, hangs } = await this.#ask(body);
    const hasNoReply = lost || hangs;
    const reply = hasNoReply ? undefined : queue.replies(body, { status, body: JSON.parse(text) as Values });
    if (reply) {
      const isDouble = (await this.#fault("double", body)) !== undefined;
      await this.#send(message, isDouble ? [reply, reply] : [reply]);
    }
    await receiver.completeMessage(message);
  }

  async #ask(message: Values): Promise<ServiceReply> {
    const { service, queue, database, hurry } = this.#options;
    const { path, key, body } = queue.asks(message);
    const found = service.route(path);
    if (!found) throw new Error(`${queue.name} asks for ${path}; there are ${service.paths.join(", ")}`);
    const reply = await service.handle({ ...found, key, text: JSON.stringify(body), body }, hurry);
    // No reply says what a power loss could still take back.
    await database.flushed();
    return reply;
  }

  /** Of a fault that is switched on for the queue; `double` is so in any case. */
  async #fault(kind: FaultKind, body: Values): Promise<FaultRequest | undefined> {
    const { service, queue, database } = this.#options;
    if (!service.faults.has(kind)) return undefined;
    const target = { path: queue.name, body };
    return database.write(() =>
      kind === "double" ? service.faults.take(kind, target) : service.faults.takeAt(kind, target),
    );
  }

  async #send({ replyTo, messageId }: ServiceBusReceivedMessage, replies: readonly Values[]): Promise<void> {
    const { service, log } = this.#options;
    if (replyTo === undefined) {
      log(`${service.name}: ${String(messageId)} has no reply queue`);
      return;
    }
    const sender = this.#senders.get(replyTo) ?? this.#client.createSender(replyTo);
    this.#senders.set(replyTo, sender);
    const correlationId = typeof messageId === "string" ? { correlationId: messageId } : {};
    for (const body of replies) await sender.sendMessages({ body, contentType: "application/json", ...correlationId });
  }
}
