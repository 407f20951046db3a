// Sends over Service Bus so that a connection that is lost at a bad moment costs seconds. The SDK's links may then wait for their own
// minute, for which there is no setting, and hold the lock that every other sender of the client needs: so a client of which a send got
// no answer is left, and the next try goes over a new one.
import {
  isServiceBusError,
  type ServiceBusClient,
  type ServiceBusMessage,
  type ServiceBusSender,
} from "@azure/service-bus";
import { ExponentialBackoff, handleWhen, retry } from "cockatiel";

export interface BusSenders {
  /** Resolves when the queue has taken the message. Throws the last try's error; in all that is within 70 s. */
  send(queue: string, message: ServiceBusMessage): Promise<void>;
  /** Closes what is open to a queue that rejects. */
  forget(queue: string): void;
}

const TRY_MS = 5000;
const PAUSES = { maxAttempts: 8, backoff: new ExponentialBackoff({ initialDelay: 300, maxDelay: 3000 }) };
/** Senders that are kept open; the one opened first is closed first. */
const OPEN_SENDERS = 200;

/** For the clients that `createBusSenders` opens: the tries are counted there. */
export const ONE_TRY = { maxRetries: 0, timeoutInMs: TRY_MS } as const;

/** @param open makes a client with `ONE_TRY`; called again where one gives no answer */
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

  /** Closed once every try on it has ended: closing would fail those that are under way, for good. */
  leave(): void {
    setTimeout(() => void this.#client.close().catch(() => undefined), 2 * TRY_MS).unref();
  }
}

/** The SDK would try again too where a role is missing: whoever calls knows whether that may pass. */
function isPassing(cause: unknown): boolean {
  if (isServiceBusError(cause) && cause.code === "UnauthorizedAccess") return false;
  return cause instanceof Error && "retryable" in cause && cause.retryable === true;
}

function gotNoAnswer(cause: unknown): boolean {
  return isServiceBusError(cause) && cause.code === "ServiceTimeout";
}
