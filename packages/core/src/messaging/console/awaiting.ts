// The steps that are done later: what whoever does them has said, and until when they are waited for.
import { z } from "zod";
import { direction, instant } from "./parts.ts";

const awaitingStep = z.strictObject({
  jobId: z.string(),
  workflow: z.strictObject({ name: z.string(), version: z.int() }),
  step: z.string(),
  agent: z.string(),
  direction,
  since: instant,
  until: instant.nullable(),
  /** What whoever does it calls it. */
  reference: z.string().nullable(),
  /** When whoever does it was last received of, and what it said. */
  lastReportAt: instant.nullable(),
  progress: z.string().nullable(),
});

/** `GET /api/awaiting`: what is given up soonest first. */
export const awaiting = z.strictObject({
  asOf: instant,
  /** False where there are more than were read. */
  isAll: z.boolean(),
  steps: z.array(awaitingStep),
});

export type Awaiting = z.output<typeof awaiting>;
export type AwaitingStep = z.output<typeof awaitingStep>;
