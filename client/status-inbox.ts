// What the client has heard, by order: repeats dropped, in order of arrival, for those who wait and for those who will ask later. Each
// hears of its own content alone.
import type { EndStatus, StatusMessage } from "./order-messages.ts";

export type EndMessage = StatusMessage & { readonly status: EndStatus };

export interface Waiter {
  /** Of what it submitted; absent where that is not known. */
  readonly contentDigest?: string | undefined;
  onStatus(status: StatusMessage): void;
  /** The order has ended; `heard` is all that is known of it. */
  onEnd(end: EndMessage, heard: readonly StatusMessage[]): void;
  /** Nothing more can be heard. */
  onGone(cause: Error): void;
}

/** `start`: all that is known of the order. `untold`: what came since an end of it was last told. */
export type From = "start" | "untold";

interface OrderLog {
  readonly heard: StatusMessage[];
  readonly waiters: Set<Waiter>;
  /** How many of `heard` an answered call has been told. */
  told: number;
}

/** Orders that nobody waits for are kept up to this many, and the oldest is forgotten. */
const REMEMBERED_ORDERS = 10_000;

export class StatusInbox {
  readonly #logs = new Map<string, OrderLog>();
  readonly #remembered: number;

  constructor(remembered: number = REMEMBERED_ORDERS) {
    this.#remembered = remembered;
  }

  take(status: StatusMessage): void {
    const log = this.#log(status.orderId);
    // The app tells at least once, and Service Bus delivers at least once.
    const { messageId, contentDigest } = status;
    if (log.heard.some((one) => one.messageId === messageId && one.contentDigest === contentDigest)) return;
    log.heard.push(status);
    for (const waiter of log.waiters) if (isAbout(status, waiter.contentDigest)) waiter.onStatus(status);
    this.#conclude(log, 0);
    this.#forget();
  }

  /** What was heard before comes at once. @returns how to leave. */
  join(orderId: string, waiter: Waiter, from: From): () => void {
    const log = this.#log(orderId);
    log.waiters.add(waiter);
    const past = from === "start" ? 0 : log.told;
    for (const status of log.heard.slice(past)) {
      if (isAbout(status, waiter.contentDigest)) waiter.onStatus(status);
    }
    this.#conclude(log, past);
    return () => {
      log.waiters.delete(waiter);
      this.#forget();
    };
  }

  /** Without a digest: whatever was submitted under that id. */
  heard(orderId: string, contentDigest?: string): readonly StatusMessage[] {
    return this.#logs.get(orderId)?.heard.filter((status) => isAbout(status, contentDigest)) ?? [];
  }

  /** Tells all who wait that nothing more can be heard. */
  abandon(cause: Error): void {
    for (const { waiters } of this.#logs.values()) {
      for (const waiter of waiters) waiter.onGone(cause);
      waiters.clear();
    }
  }

  #log(orderId: string): OrderLog {
    const known = this.#logs.get(orderId);
    if (known) return known;
    const log: OrderLog = { heard: [], waiters: new Set(), told: 0 };
    this.#logs.set(orderId, log);
    return log;
  }

  /** A failure that was told before is no news to one who follows on; Completed and Undone stay true for ever. */
  #conclude(log: OrderLog, past: number): void {
    for (const waiter of log.waiters) {
      const heard = log.heard.filter((status) => isAbout(status, waiter.contentDigest));
      const end = endOf(heard);
      if (!end || (end.status === "Failed" && log.heard.indexOf(end) < past)) continue;
      log.told = log.heard.length;
      log.waiters.delete(waiter);
      waiter.onEnd(end, heard);
    }
  }

  #forget(): void {
    if (this.#logs.size <= this.#remembered) return;
    for (const [orderId, { waiters }] of this.#logs) {
      if (waiters.size > 0) continue;
      this.#logs.delete(orderId);
      if (this.#logs.size <= this.#remembered) return;
    }
  }
}

/** The end of the latest attempt heard of: a later attempt, which an operator may have asked for, takes a failure back. */
export function endOf(heard: readonly StatusMessage[]): EndMessage | undefined {
  const latest = heard.reduce((most, { attempt }) => Math.max(most, attempt), 0);
  return heard.filter(isEnd).findLast(({ attempt }) => attempt === latest);
}

/** An older app gives no digest: then nothing is known of the content. */
function isAbout(status: StatusMessage, contentDigest: string | undefined): boolean {
  return contentDigest === undefined || [contentDigest, undefined].includes(status.contentDigest);
}

function isEnd(status: StatusMessage): status is EndMessage {
  return status.status === "Completed" || status.status === "Failed" || status.status === "Undone";
}
