// The number of jobs in each state, and their flow.
import { z } from "zod";
import { count, errorKind, instant, processState } from "./parts.ts";

/** `GET /api/overview`: the number of jobs in each state. */
export const overview = z.strictObject({
  asOf: instant,
  counts: z.array(
    z.strictObject({
      state: processState,
      /** Why it is in Error; null for the other states. */
      kind: errorKind.nullable(),
      count,
    }),
  ),
  overdue: count,
});

const rate = z.strictObject({
  count,
  /** The time in which this number was counted, in milliseconds. */
  overMs: count,
});

/** `GET /api/traffic`: the flow of the jobs, from samples of the newest. */
export const traffic = z.strictObject({
  asOf: instant,
  received: rate,
  processed: rate,
  /** The time from sent to processed, for the jobs in `processed`; null if there is none. */
  times: z.strictObject({ p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number() }).nullable(),
  /** `isAll` is false if more jobs are in flight than were counted. */
  inFlight: z.strictObject({
    count,
    isAll: z.boolean(),
    versions: z.array(z.strictObject({ name: z.string(), version: z.int(), count })),
  }),
  /** The age of the oldest message of each queue: 0 for an empty queue, null if it could not be read. */
  queues: z.array(z.strictObject({ queue: z.string(), oldestMs: z.number().nullable() })),
});

/** `GET /api/waiting-messages`: since when the oldest message of each cause waits in each of the app's queues. */
export const waitingMessages = z.strictObject({
  asOf: instant,
  queues: z.array(
    z.union([
      z.strictObject({
        queue: z.string(),
        /** `notTaken`, or the outage that sent the message back to its queue; empty if no message waits. */
        waits: z.array(z.strictObject({ cause: z.string(), since: instant })),
      }),
      /** The queue could not be read. */
      z.strictObject({ queue: z.string(), error: z.string() }),
    ]),
  ),
});

/** `GET /api/changes`: the process that answers, and how often something has happened there that the other lists may show. */
export const changes = z.strictObject({ asOf: instant, process: z.string(), count });

/** `GET /api/last-hour`: one number for each slot, the oldest first; the last slot is not over yet. */
export const lastHour = z.strictObject({
  asOf: instant,
  /** The begin of the first slot. */
  from: instant,
  slotMs: count,
  received: z.array(count),
  processed: z.array(count),
  /** Those that still need a person, of at most 1,000. */
  errors: z.array(count),
  /** False where more than those need a person. */
  errorsAreAll: z.boolean(),
  /** The longest wait of a message, in milliseconds; null where nobody has looked. */
  oldestMs: z.array(z.number().nullable()),
  /** The agents with an endpoint that got no calls; null where nobody has looked. */
  broken: z.array(z.array(z.string()).nullable()),
});

export type Changes = z.output<typeof changes>;
export type LastHour = z.output<typeof lastHour>;
export type Overview = z.output<typeof overview>;
export type WaitingMessages = z.output<typeof waitingMessages>;
export type Traffic = z.output<typeof traffic>;
