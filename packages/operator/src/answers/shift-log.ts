// What operators and supervisors did in a time, over all jobs.
import { z } from "zod";
import { count, instant } from "./parts.ts";

const action = z.strictObject({
  kind: z.literal("action"),
  at: instant,
  operator: z.string(),
  /** Such as `resubmit`, `note`, `bulk resubmit: start`. */
  action: z.string(),
  reason: z.string().nullable(),
  /** `done`, or the reason for the rejection. */
  outcome: z.string(),
  /** What a bulk run did with its jobs is one entry. */
  count,
  /** The first of them; empty if it is not about a job. */
  jobIds: z.array(z.string()),
  /** The queue and the number of a dead letter. */
  message: z.string().nullable(),
});

/** The decisions of one sweep that have the same verdict and cause. */
const decisions = z.strictObject({
  kind: z.literal("decisions"),
  at: instant,
  sweepId: z.string(),
  verdict: z.string(),
  outcome: z.enum(["applied", "lost", "broken"]),
  cause: z.string(),
  count,
  jobIds: z.array(z.string()),
});

/** `GET /api/shift-log`: the newest first. */
export const shiftLog = z.strictObject({
  /** Later than the one of the request if there is more than was read: the rest is before it. */
  from: instant,
  to: instant,
  isAll: z.boolean(),
  entries: z.array(z.discriminatedUnion("kind", [action, decisions])),
});

export type ShiftLog = z.output<typeof shiftLog>;
