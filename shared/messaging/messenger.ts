// What the app sends, as a port: status messages, wake-ups of the scheduler, and what can't be read.
import type { Reply, Wake } from "../domain/attempt.ts";
import type { OrderStatus } from "../domain/state-record.ts";

export interface StatusMessage {
  readonly orderId: string;
  readonly attempt: number;
  readonly status: OrderStatus;
  readonly at: string;
  /** In words, where a status needs them. */
  readonly detail?: string;
}

export type Told =
  | "sent"
  /** The request named no reply queue. */
  | "nobody-asked"
  /** The reply queue does not exist: the order goes on all the same. */
  | "no-such-queue";

export interface Unreadable {
  readonly body: unknown;
  readonly faults: readonly string[];
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
}

/** Every method throws once its bounded retries are used up. */
export interface Messenger {
  /** Tells the submitting application on its private reply queue (P15). At least once: the message id is the same each time. */
  tell(reply: Reply, message: StatusMessage): Promise<Told>;
  /** Tells the scheduler that an order waits for an attempt (P10). */
  wake(wake: Wake): Promise<void>;
  /** Keeps a message that is no order, with what is wrong with it. */
  quarantine(unreadable: Unreadable): Promise<void>;
}
