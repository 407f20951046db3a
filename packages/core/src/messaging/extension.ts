// The limits for an extension of a job's time.
import { z } from "zod";
import { durationMs } from "../domain/duration.ts";

const LONGEST_MS = 7 * 86_400_000;

export const extension = z
  .string()
  .refine(
    (text) => (durationMs(text) ?? Number.POSITIVE_INFINITY) <= LONGEST_MS,
    "must be an ISO 8601 duration such as PT10M, of at most P7D",
  );
