// A setting that is a list, as JSON: checked as a whole; the error names every fault.
import { z } from "zod";
import { faultsOf } from "./checked.ts";

/** @param faultsBetween the faults between entries that are each valid */
export function listSetting<T>(entry: z.ZodType<T>, faultsBetween: (list: readonly T[]) => string[]) {
  return z
    .string()
    .default("[]")
    .transform((text, context): readonly T[] => {
      const parsed = z.array(entry).safeParse(jsonIn(text));
      const faults = parsed.success ? faultsBetween(parsed.data) : faultsOf(parsed.error, "the list");
      for (const message of faults) context.addIssue({ code: "custom", message });
      return parsed.success ? parsed.data : [];
    });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
