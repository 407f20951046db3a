// The contract of a message on the scheduler's own queue.
import { z } from "zod";
import type { Wake } from "../domain/attempt.ts";
import { refuseNewer } from "./message-version.ts";

/** Members that it does not know are ignored: an older app put the steps in here too. */
const wakeSchema = z.object({
  orderId: z.string(),
  attempt: z.int().min(1),
  direction: z.enum(["forward", "undo"]),
  traceparent: z.string().nullable().optional(),
}) satisfies z.ZodType<Wake>;

/** Throws if the message is no wake: only this app sends to that queue, so that is a bug, and the dead-letter queue keeps it. */
export function parseWake(body: unknown): Wake {
  refuseNewer(body, "This wake");
  return wakeSchema.parse(body);
}
