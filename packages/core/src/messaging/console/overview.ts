// How many jobs stand where, and how they flow.
import { z } from "zod";
import { count, errorKind, instant, processState } from "./parts.ts";

/** `GET /api/overview`: how many jobs stand where. */
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
  /** The time in which so many were counted, in milliseconds. */
  overMs: count,
});

/** `GET /api/traffic`: how jobs flow, from samples of the newest. */
export const traffic = z.strictObject({
  asOf: instant,
  received: rate,
  processed: rate,
  /** From sent to processed, of the jobs in `processed`; null where there is none. */
  times: z.strictObject({ p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number() }).nullable(),
  /** `isAll` is false where more jobs are in flight than were counted. */
  inFlight: z.strictObject({
    count,
    isAll: z.boolean(),
    versions: z.array(z.strictObject({ name: z.string(), version: z.int(), count })),
  }),
  /** How long the oldest message of each queue has waited: 0 where there is none, null where it could not be read. */
  queues: z.array(z.strictObject({ queue: z.string(), oldestMs: z.number().nullable() })),
});

export type Overview = z.output<typeof overview>;
export type Traffic = z.output<typeof traffic>;
