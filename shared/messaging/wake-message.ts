// The contract of a message on the scheduler's own queue.
import { z } from "zod";
import type { Wake } from "../domain/attempt.ts";

const textOrNull = z.string().nullable();

const runSchema = z.object({
  state: z.enum(["NotStarted", "Running", "Completed", "Failed", "Undone"]),
  completeBy: textOrNull,
  retryCount: z.int(),
  error: textOrNull,
  endpoint: textOrNull,
  because: textOrNull,
  startedAt: textOrNull,
  endedAt: textOrNull,
});

const stepSchema = runSchema.extend({
  agent: z.string(),
  result: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  completedIn: z.int().optional(),
  undo: runSchema.nullable(),
  generation: z.int().min(1),
  unsure: z.boolean().optional(),
});

const wakeSchema = z.object({
  orderId: z.string(),
  attempt: z.int().min(1),
  direction: z.enum(["forward", "undo"]),
  workflow: z.object({ name: z.string(), version: z.int() }),
  steps: z.record(z.string(), stepSchema),
  traceparent: textOrNull.optional(),
}) satisfies z.ZodType<Wake>;

/** Throws if the message is no wake: only this app sends to that queue, so that is a bug, and the dead-letter queue keeps it. */
export function parseWake(body: unknown): Wake {
  return wakeSchema.parse(body);
}
