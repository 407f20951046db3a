// The contract of a request for the shift log.
import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";

const instant = z.iso
  .datetime({ offset: true, error: "must be an instant such as 2026-01-31T12:00:00Z" })
  .transform((text) => new Date(text).toISOString());

const SHIFT_MS = 12 * 3_600_000;
const MOST_DAYS = 31;
const DAY_MS = 86_400_000;

export const shiftQuery = z.strictObject({
  /** A part of an operator's name, or `supervisor`. */
  who: z.string().trim().min(1).max(200).optional(),
  /** 12 hours before `to` if absent. */
  from: instant.optional(),
  /** Excluded; now if absent. */
  to: instant.optional(),
});

export interface ShiftQuery {
  readonly who?: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** @param query the URL's query, each name with its value */
export function parseShiftQuery(query: Iterable<[string, string]>, now: number): Checked<ShiftQuery> {
  const parsed = checkQuery(shiftQuery, query);
  if (parsed.kind === "invalid") return parsed;
  const { who, to = new Date(now).toISOString() } = parsed.value;
  const { from = new Date(Date.parse(to) - SHIFT_MS).toISOString() } = parsed.value;
  if (from >= to) return { kind: "invalid", faults: ["from: must be before to"] };
  if (Date.parse(to) - Date.parse(from) > MOST_DAYS * DAY_MS) {
    return { kind: "invalid", faults: [`from: must be at most ${MOST_DAYS} days before to`] };
  }
  return { kind: "valid", value: { who, from, to } };
}
