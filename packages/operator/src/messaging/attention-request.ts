// The contract of a request for the jobs that need a person.

import { type Checked, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";

const PAGE = { usual: 25, most: 100 } as const;

const whole = (least: number, most: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .default(usual);

export const attentionQuery = z.strictObject({
  group: z
    .string()
    .regex(/^[a-z0-9]{1,16}$/, "must be the id of a group")
    .optional(),
  from: whole(0, 999_999, 0),
  limit: whole(1, PAGE.most, PAGE.usual),
});

/** @param given the URL's query, each name with its value */
export function parseAttentionPage(given: Iterable<[string, string]>): Checked<z.output<typeof attentionQuery>> {
  return checkQuery(attentionQuery, given);
}
