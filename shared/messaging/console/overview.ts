// How many orders stand where.
import { z } from "zod";
import { count, errorKind, instant, processState } from "./parts.ts";

/** `GET /api/overview`: how many orders stand where. */
export const overview = z.strictObject({
  asOf: instant,
  counts: z.array(
    z.strictObject({
      state: processState,
      /** Why it is in Error; null for the other states. */
      kind: errorKind.nullable(),
      count,
    }),
  ),
  overdue: count,
});

export type Overview = z.output<typeof overview>;
