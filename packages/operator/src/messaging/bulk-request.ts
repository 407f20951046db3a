// The contract of requests for an action on many jobs.

import { PROCESS_STATES } from "@scheduler-agent-supervisor/core/domain";
import { type Checked, checkJson, checkQuery, extension } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import { BULK_ACTIONS, MOST_JOBS } from "../domain/bulk.ts";
import { jobFilter, keyFaults } from "./job-filter.ts";
import { listContinuation } from "./paging.ts";

/** Shorter than the reason for one job: the run's mark is added to it. */
const REASON_LIMIT = 400;

/** Jobs that are Processed allow no action, and all of them would have to be searched. */
const filter = z
  .strictObject({ state: z.enum(PROCESS_STATES).exclude(["Processed"]).optional(), ...jobFilter })
  .refine(({ state, waitsFor }) => state !== undefined || waitsFor !== undefined, {
    path: ["state"],
    error: "is missing: a filter has a state, or waitsFor",
  });

const target = z.union([
  z.strictObject({ group: z.string().regex(/^[a-z0-9]{1,16}$/, "must be the id of a group") }),
  z.strictObject({ jobIds: z.array(z.string().min(1).max(80)).min(1).max(MOST_JOBS) }),
  z.strictObject({ filter }),
]);
export const bulkPreviewBody = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    target,
    /** Jobs that stopped in their compensation go forward again; only with the action `resubmit`. */
    direction: z.literal("forward").optional(),
  })
  .refine(({ action, direction }) => direction === undefined || action === "resubmit", {
    path: ["direction"],
    error: "goes with the action resubmit alone",
  });
export const bulkListQuery = z
  .strictObject({
    /** All that run, are paused, or have just stopped by themselves, on one page. */
    open: z.literal("true").optional(),
    continuation: listContinuation,
  })
  .refine(({ open, continuation }) => open === undefined || continuation === undefined, {
    path: ["continuation"],
    error: "goes without open, which has one page",
  });

export const bulkStartBody = z.strictObject({
  reason: z.string().trim().min(1).max(REASON_LIMIT),
  /** The number of jobs in the preview: the operator who starts the action has read it. */
  count: z.int().min(1),
  /** Each job's additional time; only with the action `extend`. */
  by: extension.optional(),
});

const BODY = "the body";

/** @param keys the names of the business keys by which jobs can be found */
export function parseBulkPreview(text: string, keys: readonly string[]): Checked<z.output<typeof bulkPreviewBody>> {
  const parsed = checkJson(bulkPreviewBody, text, BODY);
  if (parsed.kind === "invalid" || !("filter" in parsed.value.target)) return parsed;
  const faults = keyFaults(parsed.value.target.filter.key, keys);
  return faults.length > 0 ? { kind: "invalid", faults: faults.map((fault) => `target.filter.${fault}`) } : parsed;
}
export const parseBulkStart = (text: string): Checked<z.output<typeof bulkStartBody>> =>
  checkJson(bulkStartBody, text, BODY);

/** In the app's format. Another text could name another document: the id becomes part of a path. */
export function isBulkId(text: string): boolean {
  return /^[0-9a-f-]{36}$/.test(text);
}

/** @param query the URL's query, each name with its value */
export function parseBulkList(query: Iterable<[string, string]>): Checked<z.output<typeof bulkListQuery>> {
  return checkQuery(bulkListQuery, query);
}
