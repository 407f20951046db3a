// The contract of requests to the supervisor over HTTP.

import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import { listContinuation, pageSize } from "./paging.ts";

const SUPERVISION_PAGE = { usual: 50, most: 100 } as const;

export const supervisionQuery = z.strictObject({
  day: z.iso.date({ error: "must be a day such as 2026-01-31" }).optional(),
  limit: pageSize(SUPERVISION_PAGE),
  continuation: listContinuation,
});

export const auditQuery = z.strictObject({ continuation: listContinuation });

/** A sweep's request has no members. */
const sweepQuery = z.strictObject({});

/** @param query the URL's query, each name with its value */
export function parseSupervisionQuery(query: Iterable<[string, string]>): Checked<z.output<typeof supervisionQuery>> {
  return checkQuery(supervisionQuery, query);
}

/** @param query the URL's query, each name with its value */
export function parseAuditQuery(query: Iterable<[string, string]>): Checked<z.output<typeof auditQuery>> {
  return checkQuery(auditQuery, query);
}

export function parseSweepQuery(query: Iterable<[string, string]>): Checked<Record<string, never>> {
  return checkQuery(sweepQuery, query);
}
