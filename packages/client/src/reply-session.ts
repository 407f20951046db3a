// Listens to one session of the reply queue, and takes it again whenever the link, the lock or the broker is lost.
import type { ServiceBusClient, ServiceBusSessionReceiver } from "@azure/service-bus";
import { describeFault, JobClientError } from "./job-client-error.ts";
import type { ReceivedMessage } from "./job-messages.ts";

export interface ReplySessionOptions {
  /** The connection to take the session on; asked for each time. */
  client(): ServiceBusClient;
  readonly queue: string;
  readonly sessionId: string;
  /** Whether nobody else can know the session's id. */
  readonly private: boolean;
  /** Must not throw: it is called for each message in order of arrival, and the message is then settled. */
  onMessage(message: ReceivedMessage): void;
  /** The session is lost; it is about to be taken again. */
  onLost(): void;
  /** The session is lost and trying again would not help. */
  onGone(cause: JobClientError): void;
}

/** The SDK renews a session's lock for this long in all; then the session is taken anew. */
const RENEW_FOR_MS = 86_400_000;
/** Messages that the broker hands out before the first of them is settled. The handler is synchronous, so they stay in order. */
const CREDIT = 100;
/** A link that the broker closes without an error is closed without a word. */
const WATCH_EVERY_MS = 1000;
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5000;

export class ReplySession {
  readonly #options: ReplySessionOptions;
  #listening: Promise<void> | undefined;
  #receiver: ServiceBusSessionReceiver | undefined;
  #watch: NodeJS.Timeout | undefined;
  #wasHeld = false;
  #closed = false;

  constructor(options: ReplySessionOptions) {
    this.#options = options;
  }

  /** Resolves once the session is held. After an outage that is once it is held again. @throws JobClientError */
  listen(): Promise<void> {
    this.#listening ??= this.#accept().catch((cause: unknown) => {
      this.#listening = undefined;
      throw cause;
    });
    return this.#listening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await this.#receiver?.close().catch(() => undefined);
  }

  async #accept(): Promise<void> {
    const { queue, sessionId, onMessage } = this.#options;
    const client = this.#options.client();
    const receiver = await client
      .acceptSession(queue, sessionId, { maxAutoLockRenewalDurationInMs: RENEW_FOR_MS })
      .catch(async (cause: unknown) => {
        throw await this.#describe(cause, client);
      });
    this.#wasHeld = true;
    if (this.#closed) {
      await receiver.close();
      throw new JobClientError("closed", "The client is closed.");
    }
    this.#receiver = receiver;
    receiver.subscribe(
      {
        processMessage: async (message) => onMessage(message),
        // A session receiver never recovers: whatever the fault is, what was not settled comes again on the next.
        processError: async () => this.#lost(receiver),
      },
      { maxConcurrentCalls: CREDIT },
    );
    clearInterval(this.#watch);
    this.#watch = setInterval(() => receiver.isClosed && this.#lost(receiver), WATCH_EVERY_MS);
  }

  /** The SDK takes every rejection of a session for one that somebody holds: a look into the queue shows more. */
  async #describe(cause: unknown, client: ServiceBusClient): Promise<JobClientError> {
    const { queue } = this.#options;
    const fault = describeFault(cause, "listen on", queue);
    if (fault.fault !== "sessionHeld" || this.#wasHeld) return fault;
    const receiver = client.createReceiver(queue);
    try {
      await receiver.peekMessages(1);
    } catch (reason) {
      return describeFault(reason, "listen on", queue);
    } finally {
      await receiver.close().catch(() => undefined);
    }
    if (!this.#options.private) return fault;
    return new JobClientError(
      "noSessions",
      `The queue ${queue} has to be made with sessions (requiresSession).`,
      cause,
    );
  }

  #lost(receiver: ServiceBusSessionReceiver): void {
    if (this.#closed || this.#receiver !== receiver) return;
    this.#receiver = undefined;
    clearInterval(this.#watch);
    const back = this.#comeBack(receiver);
    this.#listening = back;
    // Who waits is notified of it by onGone, who calls next by listen().
    back.catch(() => undefined);
  }

  async #comeBack(old: ServiceBusSessionReceiver): Promise<void> {
    // Closing a link that is already lost may throw.
    void old.close().catch(() => undefined);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        this.#options.onLost();
        await this.#accept();
        return;
      } catch (cause) {
        const fault = describeFault(cause, "listen on", this.#options.queue);
        // Where it is held, it is by the link that was lost, until the broker notices.
        if (!fault.retriable || this.#closed) {
          this.#listening = undefined;
          if (!this.#closed) this.#options.onGone(fault);
          throw fault;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
