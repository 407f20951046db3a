// The steps that are done later: their service's latest report, and the end of their wait.
import { z } from "zod";
import { direction, instant } from "./parts.ts";

const awaitingStep = z.strictObject({
  jobId: z.string(),
  workflow: z.strictObject({ name: z.string(), version: z.int() }),
  step: z.string(),
  agent: z.string(),
  /** The person, group or role that has to act. */
  assignee: z.string().optional(),
  direction,
  since: instant,
  until: instant.nullable(),
  /** The service's own name for it. */
  reference: z.string().nullable(),
  /** The time and text of the latest report. */
  lastReportAt: instant.nullable(),
  progress: z.string().nullable(),
  /** When the reminder at half of its time was decided. */
  remindedAt: instant.optional(),
});

/** `GET /api/awaiting`: on each page the step that expires first is first. */
export const awaiting = z.strictObject({
  asOf: instant,
  /** False where there are more than these. */
  isAll: z.boolean(),
  steps: z.array(awaitingStep),
  /** For the next page; absent on the last. */
  continuation: z.string().optional(),
});

export type Awaiting = z.output<typeof awaiting>;
export type AwaitingStep = z.output<typeof awaitingStep>;
