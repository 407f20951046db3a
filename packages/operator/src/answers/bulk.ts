// Actions on many jobs.

import { PROCESS_STATES } from "@scheduler-agent-supervisor/core/domain";
import { z } from "zod";
import { BULK_ACTIONS } from "../domain/bulk.ts";
import { count, errorKind, instant } from "./parts.ts";

const bulkCounts = z.strictObject({ done: count, skipped: count, well: count, same: count, other: count });

export const bulkRun = z.strictObject({
  bulkId: z.string(),
  action: z.enum(BULK_ACTIONS),
  state: z.enum(["previewed", "running", "paused", "stopped", "cancelled", "done"]),
  at: instant,
  by: z.string(),
  reason: z.string().nullable(),
  /** Each job's additional time, as an ISO 8601 duration; null until it is started, and for all other actions. */
  extendBy: z.string().nullable(),
  /** `forward`: a resubmission takes jobs forward again that stopped in their compensation. */
  direction: z.literal("forward").nullable(),
  /** Of a resubmission: how many jobs go on in each direction. */
  goesOn: z.strictObject({ forward: count, compensate: count }).nullable(),
  /** Of a resubmission: in how many jobs a step runs again under its next idempotency key (rejected for good), or the same (outcome unknown). */
  keys: z.strictObject({ next: count, same: count }).nullable(),
  /** An example of the cause that was chosen. */
  cause: z.string().nullable(),
  /** The search that was chosen. */
  filter: z
    .strictObject({
      state: z.enum(PROCESS_STATES).exclude(["Processed"]).optional(),
      kind: errorKind.optional(),
      workflow: z.string().optional(),
      version: z.int().optional(),
      step: z.string().optional(),
      key: z.string().optional(),
      waitsFor: z.string().optional(),
      q: z.string().optional(),
      timeOf: z.enum(["received", "sent", "changed", "ended"]).optional(),
      from: instant.optional(),
      to: instant.optional(),
    })
    .nullable(),
  /** False if more jobs were selected than one run takes. */
  isAll: z.boolean(),
  total: count,
  wave: count,
  counts: bulkCounts,
  /** The share of a wave that ended with the same cause again, in per cent, if it stopped by itself for that reason. */
  stopped: z.string().nullable(),
  updatedAt: instant,
  /** Of a run that is under way: its last progress. */
  progressAt: instant.optional(),
});

const notPossible = z.strictObject({ jobId: z.string(), reason: z.string() });

/** `POST /api/bulk`. */
export const bulkPreview = z.strictObject({ run: bulkRun, notPossible: z.array(notPossible) });

/** `GET /api/bulk`: the latest first. */
export const bulkList = z.strictObject({
  runs: z.array(bulkRun),
  /** For those before these; absent where there are none. */
  continuation: z.string().optional(),
});

/** `GET /api/bulk/{bulkId}`. */
export const bulkProgress = z.strictObject({
  run: bulkRun,
  /** If a wave has a larger share of the same cause, it is the last one. */
  limit: z.number(),
  /** The current wave's state. */
  now: bulkCounts,
  results: z.array(
    z.strictObject({
      jobId: z.string(),
      outcome: z.enum(["open", "done", "skipped"]),
      reason: z.string().nullable(),
      end: z.enum(["well", "same", "other"]).nullable(),
    }),
  ),
});

export type BulkRun = z.output<typeof bulkRun>;
export type BulkPreview = z.output<typeof bulkPreview>;
export type BulkList = z.output<typeof bulkList>;
export type BulkProgress = z.output<typeof bulkProgress>;
