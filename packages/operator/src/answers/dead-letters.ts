// Dead letters and quarantined messages.
import { z } from "zod";
import { count, instant } from "./parts.ts";

const deadLetterSummary = z.object({
  sequenceNumber: z.string(),
  enqueuedAt: instant.nullable(),
  reason: z.string().nullable(),
  description: z.string().nullable(),
  deliveryCount: z.int(),
  messageId: z.string().nullable(),
  correlationId: z.string().nullable(),
  subject: z.string().nullable(),
  jobId: z.string().nullable(),
  bytes: z.int(),
});

/** The arrival of the oldest; null if no message contains one. */
const oldestAt = instant.nullable();

/** `GET /api/dead-letters`. */
export const deadLetterCounts = z.object({
  queues: z.array(
    z.union([
      z.object({
        queue: z.string(),
        count,
        isAll: z.boolean(),
        oldestAt,
        /** The most frequent first; null stands for messages without a reason, and for all causes beyond the fifth. */
        causes: z.array(z.object({ cause: z.string().nullable(), count, oldestAt })),
      }),
      z.object({ queue: z.string(), error: z.string() }),
    ]),
  ),
});

/** `GET /api/dead-letter-causes`: the largest group first. */
export const deadLetterCauses = z.object({
  queue: z.string(),
  /** False where there are more messages than were read. */
  isAll: z.boolean(),
  causes: z.array(
    z.object({
      id: z.string(),
      /** One message's unchanged reason; null for messages without one. */
      cause: z.string().nullable(),
      count,
      oldestAt,
      /** The sequence number of each message, the oldest first. */
      numbers: z.array(z.string()),
    }),
  ),
});

/** `POST /api/dead-letter-waves`: what came of each message, in the sequence of the request. */
export const messageWave = z.object({
  results: z.array(
    z.object({
      sequenceNumber: z.string(),
      outcome: z.enum(["resent", "discarded", "skipped"]),
      /** Why it was skipped, or what is still to be done. */
      reason: z.string().nullable(),
    }),
  ),
});

/** `GET /api/dead-letters?queue=`. */
export const deadLetterPage = z.object({
  queue: z.string(),
  messages: z.array(deadLetterSummary),
  next: z.string().optional(),
});

/** `GET /api/dead-letters/{queue}/{sequenceNumber}`. */
export const deadLetter = deadLetterSummary.extend({
  queue: z.string(),
  contentType: z.string().nullable(),
  replyTo: z.string().nullable(),
  timeToLiveMs: z.number().nullable(),
  applicationProperties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  body: z.union([
    z.object({ kind: z.literal("json"), json: z.unknown() }),
    z.object({ kind: z.literal("text"), text: z.string() }),
    z.object({ kind: z.literal("binary"), base64: z.string() }),
  ]),
});

/** The answer to the resubmission of a dead letter. */
export const resent = z.object({ target: z.string(), messageId: z.string(), removed: z.boolean() });

/** `POST /api/dead-letters/{queue}/{sequenceNumber}/discard`: a copy is kept under `discarded`. */
export const discarded = z.object({
  queue: z.string(),
  sequenceNumber: z.string(),
  discarded: z.string(),
  keptUntil: instant,
});

const discarding = z.object({
  id: z.string(),
  queue: z.string(),
  at: instant,
  by: z.string(),
  why: z.string(),
  /** Until then an operator can send it again. */
  keptUntil: instant,
});

/** `GET /api/discarded-messages`: the last discarded first. */
export const discardedPage = z.object({
  discarded: z.array(discarding.extend({ message: deadLetterSummary })),
  continuation: z.string().optional(),
});

/** `GET /api/discarded-messages/{id}`. */
export const discardedMessage = discarding.extend({ message: deadLetter.omit({ queue: true }) });

/** `POST /api/discarded-messages/{id}/resend`. */
export const resentDiscarded = z.object({ target: z.string(), messageId: z.string() });

export type DeadLetterCounts = z.output<typeof deadLetterCounts>;
export type DeadLetterCauses = z.output<typeof deadLetterCauses>;
export type MessageWaveResults = z.output<typeof messageWave>;
export type DeadLetterPage = z.output<typeof deadLetterPage>;
export type DeadLetter = z.output<typeof deadLetter>;
export type Resent = z.output<typeof resent>;
export type Discarded = z.output<typeof discarded>;
export type DiscardedPage = z.output<typeof discardedPage>;
export type DiscardedMessage = z.output<typeof discardedMessage>;
