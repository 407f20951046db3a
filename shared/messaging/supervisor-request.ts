// The contract of what is asked of the supervisor over HTTP.
import { z } from "zod";
import { durationMs } from "../domain/duration.ts";
import { type Checked, checkQuery } from "./checked.ts";

const duration = z.string().transform((text, context) => {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: "custom", message: "must be an ISO 8601 duration such as PT2S" });
  return z.NEVER;
});

const whatIfQuery = z
  .strictObject({
    failureThreshold: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, "must be a whole number from 1 to 999")
      .transform(Number)
      .optional(),
    onExhausted: z.enum(["fail", "undo"]).optional(),
    clockSkew: duration.optional(),
    at: z.iso.datetime({ offset: true, error: "must be an instant such as 2026-01-31T12:00:00Z" }).optional(),
  })
  .transform(({ clockSkew, ...rest }) => ({ ...rest, clockSkewMs: clockSkew }));

/** A sweep has nothing to be asked with. */
const sweepQuery = z.strictObject({});

export type WhatIfQuery = z.output<typeof whatIfQuery>;

/** @param query the URL's, each name with its value */
export function parseWhatIfQuery(query: Iterable<[string, string]>): Checked<WhatIfQuery> {
  return checkQuery(whatIfQuery, query);
}

export function parseSweepQuery(query: Iterable<[string, string]>): Checked<Record<string, never>> {
  return checkQuery(sweepQuery, query);
}
