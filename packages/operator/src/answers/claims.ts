// Claims and notes of operators.
import { z } from "zod";
import { HANDLED } from "../domain/handling.ts";
import { instant } from "./parts.ts";

/** `POST /api/claims`. */
export const handling = z.strictObject({
  target: z.strictObject({ kind: z.enum(HANDLED), id: z.string() }),
  etag: z.string(),
  claim: z.strictObject({ by: z.string(), until: instant }).nullable(),
  notes: z.array(z.strictObject({ at: instant, by: z.string(), text: z.string() })),
  /** For a group: its jobs at its last change, at most 50. */
  jobIds: z.array(z.string()),
});

/** `GET /api/claims`: claims and notes, the last changed first. */
export const handlings = z.strictObject({
  asOf: instant,
  /** False where there are more than these. */
  isAll: z.boolean(),
  handlings: z.array(handling),
  /** For the next page; absent on the last. */
  continuation: z.string().optional(),
});

export type Handlings = z.output<typeof handlings>;
export type HandlingAnswer = z.output<typeof handling>;
