// Limits the number of jobs in flight (P26): jobs in progress go before new jobs. A job that is not admitted waits in its queue, at no cost and
// without a counted delivery.

import type { Priority } from "../domain/job.ts";
import { Outage } from "../domain/outage.ts";
import type { InFlight } from "../store/job-store.ts";

/** `begun`: a job in a further attempt, which may have completed steps. */
export type AdmissionLane = Priority | "begun";

export interface Admission {
  /** Resolves when one more job may be held. @throws NotAdmitted if there was no room for a while */
  admit(lane: AdmissionLane): Promise<void>;
}

/** The caller's message should wait in its queue. */
export class NotAdmitted extends Outage {
  override readonly name = "NotAdmitted";
}

export interface AdmissionOptions {
  /** The jobs in flight, counted where all processes see them. Throws if the store is unavailable. */
  readonly count: () => Promise<InFlight>;
  /** The number of jobs that attempts should hold. */
  readonly limit: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Shares of the limit: jobs in progress are admitted when new jobs are not, and urgent jobs before others. */
const SHARE = { begun: 1.5, high: 1.25, normal: 1 } as const satisfies Record<AdmissionLane, number>;
/** If this share of the limit waits for agents, the engine has a backlog: nothing new is added to it. */
const BACKLOG_SHARE = 0.1;
/**
 * This number of jobs may always wait. An instance that crashed leaves as many as it was submitting (`maxConcurrentCalls` in host.json), claimed
 * and not started. They wait until their start-by, and do not indicate a backlog.
 */
export const NO_BACKLOG = 32;
/** A count is used for this time. */
const FRESH_MS = 250;
/** Every process admits by its own count, so each takes only a part of the room that it finds. */
const PART_OF_ROOM = 0.25;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** Shorter than the time for which a message's lock is renewed. */
const PATIENCE_MS = 60_000;

export function createAdmission({ count, limit, now, pause }: AdmissionOptions): Admission {
  let inFlight: InFlight = { held: 0, waiting: 0 };
  let countedAt = Number.NEGATIVE_INFINITY;
  let allowance = 0;
  let counting: Promise<void> | undefined;

  /** One count at a time, for any number of callers. */
  function recount(): Promise<void> {
    counting ??= countAnew().finally(() => {
      counting = undefined;
    });
    return counting;
  }

  async function countAnew(): Promise<void> {
    inFlight = await count();
    countedAt = now();
    allowance = Math.max(1, (limit - inFlight.held) * PART_OF_ROOM);
  }

  function hasRoom(lane: AdmissionLane): boolean {
    const hasBacklog = inFlight.waiting > Math.max(NO_BACKLOG, limit * BACKLOG_SHARE);
    return inFlight.held < limit * SHARE[lane] && (lane === "begun" || !hasBacklog);
  }

  return {
    async admit(lane) {
      const latest = now() + PATIENCE_MS;
      for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
        if (allowance < 1 || now() - countedAt > FRESH_MS) await recount();
        if (allowance >= 1 && hasRoom(lane)) {
          allowance -= 1;
          inFlight = { ...inFlight, held: inFlight.held + 1 };
          return;
        }
        if (now() > latest) {
          const { held, waiting } = inFlight;
          throw new NotAdmitted(
            `${held} jobs are in flight, of which ${waiting} wait for their agents; the limit is ${limit}`,
          );
        }
        await pause(waitMs);
      }
    },
  };
}
