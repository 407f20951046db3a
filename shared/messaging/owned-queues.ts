// The setting that lists the submission queues of one sender each: JSON, made of infra/entities/service-bus.json.
import { z } from "zod";
import { type OwnedQueue, ownershipFaults } from "../domain/owned-queue.ts";
import { inWords } from "./checked.ts";

/** What a function's name may hold: the trigger of each queue is named after it. */
const queueName = z.string().regex(/^[a-z][a-z0-9-]{0,99}$/, "must be lower-case letters, digits and -");

const entries = z.array(
  z.strictObject({
    queue: queueName,
    owner: z.string().regex(/^[a-z][a-z0-9-]{0,59}$/, "must be lower-case letters, digits and -"),
    orderIdPrefix: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, "must be the beginning of an order id, of at most 40 characters"),
    replyQueues: z.array(queueName).min(1),
  }) satisfies z.ZodType<OwnedQueue>,
);

export const ownedQueues = z
  .string()
  .default("[]")
  .transform((text, context): readonly OwnedQueue[] => {
    const parsed = entries.safeParse(jsonIn(text));
    const faults = parsed.success ? ownershipFaults(parsed.data) : inWords(parsed.error, "the list");
    for (const message of faults) context.addIssue({ code: "custom", message });
    return parsed.success ? parsed.data : [];
  });

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
