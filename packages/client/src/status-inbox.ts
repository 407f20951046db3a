// What the client has received, by job: repeats dropped, in order of arrival, for those who wait and for those who will ask later. Each
// is notified of its own content alone.
import type { EndStatus, StatusMessage } from "./job-messages.ts";

export type EndMessage = StatusMessage & { readonly status: EndStatus };

export interface Waiter {
  /** Of what it submitted; absent where that is not known. */
  readonly contentDigest?: string | undefined;
  onStatus(status: StatusMessage): void;
  /** The job has ended; `received` is all that is known of it. */
  onEnd(end: EndMessage, received: readonly StatusMessage[]): void;
  /** Nothing more can be received. */
  onGone(cause: Error): void;
}

/** `start`: all that is known of the job. `unpublished`: what came since an end of it was last delivered. */
export type From = "start" | "unpublished";

interface JobLog {
  readonly received: StatusMessage[];
  readonly waiters: Set<Waiter>;
  /** How many of `received` an answered call has been given. */
  published: number;
}

/** Jobs that nobody waits for are kept up to this many, and the oldest is forgotten. */
const REMEMBERED_JOBS = 10_000;

export class StatusInbox {
  readonly #logs = new Map<string, JobLog>();
  readonly #remembered: number;

  constructor(remembered: number = REMEMBERED_JOBS) {
    this.#remembered = remembered;
  }

  take(status: StatusMessage): void {
    const log = this.#log(status.jobId);
    // The app publishes at least once, and Service Bus delivers at least once.
    const { messageId, contentDigest } = status;
    if (log.received.some((one) => one.messageId === messageId && one.contentDigest === contentDigest)) return;
    log.received.push(status);
    for (const waiter of log.waiters) if (isAbout(status, waiter.contentDigest, log)) waiter.onStatus(status);
    this.#conclude(log, 0);
    this.#forget();
  }

  /** What was received before comes at once. @returns how to leave. */
  join(jobId: string, waiter: Waiter, from: From): () => void {
    const log = this.#log(jobId);
    log.waiters.add(waiter);
    const past = from === "start" ? 0 : log.published;
    for (const status of log.received.slice(past)) {
      if (isAbout(status, waiter.contentDigest, log)) waiter.onStatus(status);
    }
    this.#conclude(log, past);
    return () => {
      log.waiters.delete(waiter);
      this.#forget();
    };
  }

  /** Without a digest: whatever was submitted under that id. */
  received(jobId: string, contentDigest?: string): readonly StatusMessage[] {
    const log = this.#logs.get(jobId);
    return log?.received.filter((status) => isAbout(status, contentDigest, log)) ?? [];
  }

  /** Notifies all who wait that nothing more can be received. */
  abandon(cause: Error): void {
    for (const { waiters } of this.#logs.values()) {
      for (const waiter of waiters) waiter.onGone(cause);
      waiters.clear();
    }
  }

  #log(jobId: string): JobLog {
    const known = this.#logs.get(jobId);
    if (known) return known;
    const log: JobLog = { received: [], waiters: new Set(), published: 0 };
    this.#logs.set(jobId, log);
    return log;
  }

  /** A failure that was delivered before is no news to one who follows on; the other ends stay true for ever. */
  #conclude(log: JobLog, past: number): void {
    for (const waiter of log.waiters) {
      const received = log.received.filter((status) => isAbout(status, waiter.contentDigest, log));
      const end = endOf(received);
      if (!end || (end.status === "Failed" && log.received.indexOf(end) < past)) continue;
      log.published = log.received.length;
      log.waiters.delete(waiter);
      waiter.onEnd(end, received);
    }
  }

  #forget(): void {
    if (this.#logs.size <= this.#remembered) return;
    for (const [jobId, { waiters }] of this.#logs) {
      if (waiters.size > 0) continue;
      this.#logs.delete(jobId);
      if (this.#logs.size <= this.#remembered) return;
    }
  }
}

/** The end of the latest attempt received of: a later attempt, which an operator may have asked for, takes a failure back. */
export function endOf(received: readonly StatusMessage[]): EndMessage | undefined {
  const latest = received.reduce((most, { attempt }) => Math.max(most, attempt), 0);
  return received.filter(isEnd).findLast(({ attempt }) => attempt === latest);
}

/**
 * An older app gives no digest: then nothing is known of the content. Once one was given for the job's own content, a message without one is
 * not the app's.
 */
function isAbout({ contentDigest }: StatusMessage, wanted: string | undefined, { received }: JobLog): boolean {
  if (contentDigest !== undefined) return wanted === undefined || contentDigest === wanted;
  return !received.some(
    (other) => other.contentDigest !== undefined && (wanted ?? other.contentDigest) === other.contentDigest,
  );
}

const ENDS: ReadonlySet<string> = new Set<EndMessage["status"]>(["Completed", "Failed", "Compensated", "Cancelled"]);

function isEnd(status: StatusMessage): status is EndMessage {
  return ENDS.has(status.status);
}
