// Who handles which job.
import { z } from "zod";
import { instant } from "./parts.ts";

/** `GET /api/taken`: the jobs that an operator has taken, the last one first. */
export const takenJobs = z.strictObject({
  asOf: instant,
  taken: z.array(z.strictObject({ jobId: z.string(), takenBy: z.string(), at: instant })),
});

/** `POST /api/jobs/{jobId}/take`. */
export const takeAnswer = z.strictObject({
  jobId: z.string(),
  /** Null if nobody has it. */
  takenBy: z.string().nullable(),
});

export type TakenJobs = z.output<typeof takenJobs>;
export type TakeAnswer = z.output<typeof takeAnswer>;
