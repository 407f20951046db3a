// Sends over Service Bus so that a lost connection costs only seconds. The SDK's links may then wait for a minute, for which there is no setting,
// and hold the lock that every other sender of the client needs. So a client without an answer to a send is abandoned, and the next try uses a new
// one.
import {
  isServiceBusError,
  type ServiceBusClient,
  type ServiceBusMessage,
  type ServiceBusSender,
} from "@azure/service-bus";
import { ExponentialBackoff, handleWhen, retry } from "cockatiel";
import { startTimer } from "../domain/timer.ts";

export interface BusSenders {
  /** Resolves when the queue has accepted the message, or all of several. Throws the last try's error; in total that is within 70 s. */
  send(queue: string, message: ServiceBusMessage | ServiceBusMessage[]): Promise<void>;
  /** Closes the open senders of a queue that rejects. */
  forget(queue: string): void;
}

const TRY_MS = 5000;
const PAUSES = { maxAttempts: 8, backoff: new ExponentialBackoff({ initialDelay: 300, maxDelay: 3000 }) };
/** The number of senders that are kept open; the one opened first is closed first. */
const OPEN_SENDERS = 200;

/** For the clients that `createBusSenders` opens: it counts the tries itself. */
export const ONE_TRY = { maxRetries: 0, timeoutInMs: TRY_MS } as const;

/** @param open creates a client with `ONE_TRY`; called again if a client gives no answer */
export function createBusSenders(open: () => ServiceBusClient): BusSenders {
  let line = new Line(open());
  const patiently = retry(handleWhen(isPassing), PAUSES);
  return {
    send: (queue, message) =>
      patiently.execute(async () => {
        const used = line;
        try {
          await used.senderTo(queue).sendMessages(message);
        } catch (cause) {
          if (gotNoAnswer(cause) && used === line) {
            line = new Line(open());
            used.leave();
          }
          throw cause;
        }
      }),
    forget: (queue) => line.forget(queue),
  };
}

/** One client, which has one connection, and its senders. */
class Line {
  readonly #client: ServiceBusClient;
  readonly #senders = new Map<string, ServiceBusSender>();

  constructor(client: ServiceBusClient) {
    this.#client = client;
  }

  senderTo(queue: string): ServiceBusSender {
    const known = this.#senders.get(queue);
    if (known) return known;
    const sender = this.#client.createSender(queue);
    this.#senders.set(queue, sender);
    const [oldest] = this.#senders.keys();
    if (oldest !== undefined && this.#senders.size > OPEN_SENDERS) this.forget(oldest);
    return sender;
  }

  forget(queue: string): void {
    void this.#senders.get(queue)?.close();
    this.#senders.delete(queue);
  }

  /** Closed once every try on it has ended: an earlier close would fail the tries in progress permanently. */
  leave(): void {
    startTimer(2 * TRY_MS, () => void this.#client.close().catch(() => undefined), { isIdle: true });
  }
}

/** The SDK would also retry if a role is missing: the caller knows whether that is temporary. */
function isPassing(cause: unknown): boolean {
  if (isServiceBusError(cause) && cause.code === "UnauthorizedAccess") return false;
  return cause instanceof Error && "retryable" in cause && cause.retryable === true;
}

function gotNoAnswer(cause: unknown): boolean {
  return isServiceBusError(cause) && cause.code === "ServiceTimeout";
}
