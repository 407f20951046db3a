// The jobs that are held up: the cause, since when, and the next try.

import { z } from "zod";
import { WAIT_REASONS } from "../domain/wait.ts";
import { count, direction, instant } from "./parts.ts";

/** Why a job does not continue now. */
export const wait = z.strictObject({
  reason: z.enum(WAIT_REASONS),
  step: z.string().nullable(),
  agent: z.string().nullable(),
  direction,
  /** The last technical error. */
  cause: z.string().nullable(),
  since: instant,
  /** Who has to act, for a wait for a report. */
  assignee: z.string().optional(),
  /** The next try, or the end of the wait; null if it is not known or has passed. */
  until: instant.nullable(),
});

/** `GET /api/held-up`. */
export const heldUp = z.strictObject({
  asOf: instant,
  count,
  /** False where there are more than were read. */
  isAll: z.boolean(),
  /** The largest first. */
  groups: z.array(
    z.strictObject({
      id: z.string(),
      /** One of its jobs' waits, with the group's cause, the begin of its longest wait, and its next try. */
      wait,
      /** What the endpoint answered, in up to three wordings, the most frequent first. */
      causes: z.array(z.string()),
      /** The steps that wait. */
      steps: z.array(z.string()),
      /** The state of the agent's endpoints, if one of them is not well. */
      trouble: z
        .strictObject({ kind: z.enum(["breaker", "slow"]), endpoint: z.string(), lastError: z.string().nullable() })
        .nullable(),
      count,
      /** Of these, the jobs that wait for their next attempt: they can continue at once. */
      retried: count,
    }),
  ),
});

/** `GET /api/held-up/jobs`: the longest wait first. */
export const heldUpPage = z.strictObject({
  asOf: instant,
  count,
  isAll: z.boolean(),
  jobs: z.array(
    z.strictObject({
      jobId: z.string(),
      workflow: z.strictObject({ name: z.string(), version: z.int() }),
      wait,
    }),
  ),
  /** The start of the next page; absent on the last. */
  next: count.optional(),
});

export type Wait = z.output<typeof wait>;
export type HeldUp = z.output<typeof heldUp>;
export type HeldUpPage = z.output<typeof heldUpPage>;
