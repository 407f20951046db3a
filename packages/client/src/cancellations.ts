// What the app answers to cancellations, each known by an id of its own.
import type { StatusMessage } from "./job-messages.ts";

/** The app's answer to a cancellation. */
export type CancelAnswer =
  /** The job has ended, or it is being compensated: its last status reports the end. */
  | { readonly kind: "accepted"; readonly jobId: string }
  /** The job continues, or has already ended. */
  | { readonly kind: "rejected"; readonly jobId: string; readonly reason: string }
  /** No answer in time: it is safe to cancel again. */
  | { readonly kind: "timedOut"; readonly jobId: string };

/** Options of `cancel`. */
export interface CancelOptions {
  readonly reason?: string;
  /** One minute if absent. */
  readonly timeoutMs?: number;
}

const USUAL_TIMEOUT_MS = 60_000;

export class Cancellations {
  readonly #open = new Map<string, (status: StatusMessage) => void>();

  /** Whether the status was an answer to one of these. */
  take(status: StatusMessage): boolean {
    if (status.status !== "CancelAccepted" && status.status !== "CancelRejected") return false;
    this.#open.get(status.submissionId ?? "")?.(status);
    return true;
  }

  /**
   * @param send sends the cancellation under the id
   * @throws what `send` throws
   */
  async answer(
    jobId: string,
    { timeoutMs = USUAL_TIMEOUT_MS }: CancelOptions,
    send: (id: string, signal: AbortSignal) => Promise<void>,
  ): Promise<CancelAnswer> {
    const id = crypto.randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<CancelAnswer>();
    const limit = new AbortController();
    const timer = setTimeout(() => resolve({ kind: "timedOut", jobId }), timeoutMs);
    this.#open.set(id, ({ status, detail: reason = "the app gave no reason" }) =>
      resolve(status === "CancelAccepted" ? { kind: "accepted", jobId } : { kind: "rejected", jobId, reason }),
    );
    send(id, limit.signal).catch((cause: unknown) => !limit.signal.aborted && reject(cause));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      limit.abort();
      this.#open.delete(id);
    }
  }
}
