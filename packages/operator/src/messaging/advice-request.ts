// The contract of a request for advice on times.
import { durationMs } from "@scheduler-agent-supervisor/core/domain";
import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import type { Changes } from "../domain/advice.ts";

const duration = z.string().transform((text, context) => {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: "custom", message: "must be an ISO 8601 duration such as PT20S" });
  return z.NEVER;
});

/** All members are optional. The last three: what would these have done? */
export const adviceQuery = z.strictObject({
  workflow: z.string().min(1).max(200).optional(),
  startWithin: duration.optional(),
  completeWithin: duration.optional(),
  failureThreshold: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "must be a whole number from 1 to 999")
    .transform(Number)
    .optional(),
});

export interface AdviceRequest {
  readonly workflow: string | undefined;
  readonly changes: Changes;
}

/** @param query the URL's query, each name with its value */
export function parseAdviceQuery(query: Iterable<[string, string]>): Checked<AdviceRequest> {
  const parsed = checkQuery(adviceQuery, query);
  if (parsed.kind === "invalid") return parsed;
  const { workflow, startWithin: startWithinMs, completeWithin: completeWithinMs, failureThreshold } = parsed.value;
  return { kind: "valid", value: { workflow, changes: { startWithinMs, completeWithinMs, failureThreshold } } };
}
