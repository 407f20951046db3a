// The contract of requests to the supervisor over HTTP.

import { durationMs } from "@scheduler-agent-supervisor/core/domain";
import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import { listContinuation, pageSize } from "./paging.ts";

const duration = z.string().transform((text, context) => {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: "custom", message: "must be an ISO 8601 duration such as PT2S" });
  return z.NEVER;
});

export const whatIfQuery = z
  .strictObject({
    failureThreshold: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, "must be a whole number from 1 to 999")
      .transform(Number)
      .optional(),
    onExhausted: z.enum(["fail", "compensate"]).optional(),
    clockSkew: duration.optional(),
    at: z.iso.datetime({ offset: true, error: "must be an instant such as 2026-01-31T12:00:00Z" }).optional(),
  })
  .transform(({ clockSkew, ...rest }) => ({ ...rest, clockSkewMs: clockSkew }));

const SUPERVISION_PAGE = { usual: 50, most: 100 } as const;

export const supervisionQuery = z.strictObject({
  day: z.iso.date({ error: "must be a day such as 2026-01-31" }).optional(),
  limit: pageSize(SUPERVISION_PAGE),
  continuation: listContinuation,
});

export const auditQuery = z.strictObject({ continuation: listContinuation });

/** A sweep's request has no members. */
const sweepQuery = z.strictObject({});

export type WhatIfQuery = z.output<typeof whatIfQuery>;

/** @param query the URL's query, each name with its value */
export function parseWhatIfQuery(query: Iterable<[string, string]>): Checked<WhatIfQuery> {
  return checkQuery(whatIfQuery, query);
}

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
