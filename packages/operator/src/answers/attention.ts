// The jobs that need a person, in groups by cause.
import { z } from "zod";
import { jobError } from "./job.ts";
import { count, errorKind, instant } from "./parts.ts";

const group = z.strictObject({
  /** The same for the same cause, on every instance. */
  id: z.string(),
  workflow: z.string().nullable(),
  step: z.string().nullable(),
  kind: errorKind.nullable(),
  /** The message without its numbers and ids; null in the group of jobs that fit no other. */
  cause: z.string().nullable(),
  /** One message, unchanged. */
  example: z.string(),
  count,
  firstSeen: instant,
  lastSeen: instant,
  /** The number of arrivals in each of the last 24 hours, the oldest first. */
  hours: z.array(count),
});

/** `GET /api/attention`: the jobs that need a person, in groups by cause. */
export const attention = z.strictObject({
  asOf: instant,
  count,
  /** False where there are more than were counted. */
  isAll: z.boolean(),
  groups: z.array(group),
});

const attentionJob = z.strictObject({
  jobId: z.string(),
  workflow: z.strictObject({ name: z.string(), version: z.int() }),
  attempt: z.int(),
  error: jobError.pick({ kind: true, message: true, step: true, at: true }),
});

/** `GET /api/attention/jobs`: the same one by one, the longest wait last. */
export const attentionPage = z.strictObject({
  asOf: instant,
  count,
  isAll: z.boolean(),
  jobs: z.array(attentionJob),
  /** The start of the next page; absent on the last. */
  next: count.optional(),
});

export type Attention = z.output<typeof attention>;
export type CauseGroup = z.output<typeof group>;
export type AttentionJob = z.output<typeof attentionJob>;
export type AttentionPage = z.output<typeof attentionPage>;
