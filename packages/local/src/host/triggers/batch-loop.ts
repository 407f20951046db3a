// Receives batches of messages, one at a time, and of one session only where there are sessions. No lock is renewed, be it a message's or
// a session's. Source: ServiceBusListener of the Service Bus extension, RunBatchReceiveLoopAsync and MonitorCache.
import { setTimeout as pause } from "node:timers/promises";
import type { ServiceBusReceivedMessage, ServiceBusReceiver, ServiceBusSessionReceiver } from "@azure/service-bus";
import type { ServiceBusSettings } from "../host-json.ts";

export interface BatchSource {
  /** The next session, or a receiver of the whole entity; undefined if there is none now. */
  readonly accept: () => Promise<ServiceBusReceiver | undefined>;
  /** Runs the function on the messages, and settles them. Never rejects. */
  readonly run: (messages: readonly ServiceBusReceivedMessage[], receiver: ServiceBusReceiver) => Promise<void>;
  /** Gives back what was received and not run. Never rejects. */
  readonly giveBack: (messages: readonly ServiceBusReceivedMessage[]) => Promise<void>;
  readonly failed: (cause: unknown) => Promise<void>;
}

type Settings = Pick<
  ServiceBusSettings,
  "maxMessageBatchSize" | "minMessageBatchSize" | "maxBatchWaitMs" | "sessionIdleTimeoutMs"
>;

const TRY_AGAIN_AFTER_MS = 300;
/** How long a first message waits for company that is on its way. */
const GATHER_MS = 20;

/** Begins to receive; the answer ends it, and lets a batch that runs end by itself. */
export function receiveBatches(source: BatchSource, settings: Settings): () => Promise<void> {
  const loop = new BatchLoop(source, settings);
  const ended = loop.run();
  return () => loop.stop(ended);
}

class BatchLoop {
  readonly #source: BatchSource;
  readonly #settings: Settings;
  readonly #stopped = new AbortController();
  /** Waits for messages; undefined while a batch runs. */
  #waiting: ServiceBusReceiver | undefined;

  constructor(source: BatchSource, settings: Settings) {
    this.#source = source;
    this.#settings = settings;
  }

  /** @param ended when all that was received is given back */
  async stop(ended: Promise<void>): Promise<void> {
    this.#stopped.abort();
    if (!this.#waiting) return;
    await this.#waiting.close();
    await ended;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      const receiver = await this.#source.accept().catch((cause: unknown) => this.#source.failed(cause));
      if (!receiver) await this.#pause();
      else {
        if (!this.#isStopped) await this.#receiveFrom(receiver).catch((cause: unknown) => this.#fail(cause));
        await receiver.close().catch(() => undefined);
      }
    }
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #fail(cause: unknown): Promise<void> {
    if (this.#isStopped) return;
    await this.#source.failed(cause);
    await this.#pause();
  }

  async #pause(): Promise<void> {
    await pause(TRY_AGAIN_AFTER_MS, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }

  /** Until its session is idle, if it has one. */
  async #receiveFrom(receiver: ServiceBusReceiver): Promise<void> {
    const {
      maxMessageBatchSize: most,
      minMessageBatchSize: least,
      maxBatchWaitMs,
      sessionIdleTimeoutMs,
    } = this.#settings;
    const kept: ServiceBusReceivedMessage[] = [];
    let dueAt = Number.POSITIVE_INFINITY;
    try {
      while (!this.#isStopped) {
        const waitMs = Math.max(1, Math.min(sessionIdleTimeoutMs, dueAt - Date.now()));
        const received = await this.#receive(receiver, most - kept.length, waitMs);
        if (kept.length === 0) dueAt = Date.now() + maxBatchWaitMs;
        kept.push(...received);
        const isIdle = received.length === 0 && waitMs === sessionIdleTimeoutMs;
        const isDue = kept.length >= least || Date.now() >= dueAt || (isIdle && isSession(receiver));
        if (kept.length > 0 && isDue && !this.#isStopped) await this.#source.run(kept.splice(0), receiver);
        if (kept.length === 0) dueAt = Number.POSITIVE_INFINITY;
        if (isIdle && isSession(receiver)) return;
      }
    } finally {
      // A session takes its messages with it.
      if (kept.length > 0 && !isSession(receiver)) await this.#source.giveBack(kept);
    }
  }

  /** What is there as soon as there is something: the SDK by itself would wait a second more. */
  async #receive(receiver: ServiceBusReceiver, most: number, maxWaitTimeInMs: number) {
    this.#waiting = receiver;
    try {
      const first = await receiver.receiveMessages(1, { maxWaitTimeInMs });
      if (first.length === 0 || most === 1 || this.#isStopped) return first;
      const others = receiver.receiveMessages(most - 1, { maxWaitTimeInMs: GATHER_MS });
      return [...first, ...(await others.catch(() => []))];
    } finally {
      this.#waiting = undefined;
    }
  }
}

export function isSession(receiver: ServiceBusReceiver): receiver is ServiceBusSessionReceiver {
  return "sessionId" in receiver;
}
