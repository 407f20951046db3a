// The contract of requests to the supervisor over HTTP, and for the audit log.

import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import type { ListPosition } from "../domain/list-page.ts";
import { listContinuation, pageSize } from "./paging.ts";

const instant = z.iso
  .datetime({ offset: true, error: "must be an instant such as 2026-01-31T12:00:00Z" })
  .transform((text) => new Date(text).toISOString());

const AUDIT_PAGE = { usual: 50, most: 100 } as const;
const SHIFT_MS = 12 * 3_600_000;

export const auditLogQuery = z.strictObject({
  /** 12 hours before `to` if absent. */
  from: instant.optional(),
  /** Excluded; now if absent. */
  to: instant.optional(),
  limit: pageSize(AUDIT_PAGE),
  continuation: listContinuation,
});

export const auditQuery = z.strictObject({ continuation: listContinuation });

/** A sweep's request has no members. */
const sweepQuery = z.strictObject({});

export interface AuditLogRequest {
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  readonly continuation?: ListPosition | undefined;
}

/** @param query the URL's query, each name with its value */
export function parseAuditLogQuery(query: Iterable<[string, string]>, now: number): Checked<AuditLogRequest> {
  const parsed = checkQuery(auditLogQuery, query);
  if (parsed.kind === "invalid") return parsed;
  const { to = new Date(now).toISOString() } = parsed.value;
  const { from = new Date(Date.parse(to) - SHIFT_MS).toISOString() } = parsed.value;
  if (from >= to) return { kind: "invalid", faults: ["from: must be before to"] };
  return { kind: "valid", value: { ...parsed.value, from, to } };
}

/** @param query the URL's query, each name with its value */
export function parseAuditQuery(query: Iterable<[string, string]>): Checked<z.output<typeof auditQuery>> {
  return checkQuery(auditQuery, query);
}

export function parseSweepQuery(query: Iterable<[string, string]>): Checked<Record<string, never>> {
  return checkQuery(sweepQuery, query);
}
