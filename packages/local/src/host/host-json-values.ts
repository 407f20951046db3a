// The kinds of values in host.json, as .NET reads them.
import { z } from "zod";
import { timeSpanMs } from "./schedule/time-span.ts";

function readTimeSpan(text: string, context: z.RefinementCtx): { readonly ms: number } {
  const ms = timeSpanMs(text);
  if (ms !== undefined && ms >= 0) return { ms };
  context.addIssue({ code: "custom", message: `"${text}" is not a time span such as 00:05:00` });
  return z.NEVER;
}

export const timeSpan = z.string().transform(readTimeSpan);
/** Without a limit it is -1. */
export const timeSpanOrNoLimit = z
  .string()
  .transform((text, context) => (text === "-1" ? { ms: undefined } : readTimeSpan(text, context)));

export const count = z.coerce.number().int().min(0);
/** An override from the environment is text. */
export const flag = z.union([z.boolean(), z.stringbool()]);
/** Without a limit it is -1. */
export const countOrNoLimit = z.coerce
  .number()
  .int()
  .refine((most) => most === -1 || most > 0, { error: "is a number above zero, or -1 for no limit" })
  .transform((most) => (most === -1 ? Number.POSITIVE_INFINITY : most))
  .prefault(-1);
