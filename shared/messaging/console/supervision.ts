// Who leads, and what sweeps have decided.
import { z } from "zod";
import { instant, processState } from "./parts.ts";

/** `GET /api/supervisor`: which of several supervisors leads. */
export const supervisor = z.strictObject({
  /** Null where nobody has led yet. */
  leader: z
    .strictObject({
      name: z.string(),
      epoch: z.int(),
      since: instant.nullable(),
      /** False where its time is over and nobody has taken the lead since. */
      leads: z.boolean(),
    })
    .nullable(),
});

const standpoint = z.strictObject({
  processState,
  attempt: z.int(),
  failureCount: z.int(),
  step: z.string().nullable(),
});

const ledgerEntry = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("sweep"),
    id: z.string(),
    at: instant,
    endedAt: instant,
    leader: z.string(),
    epoch: z.int(),
    report: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])),
  }),
  z.strictObject({
    kind: z.literal("decision"),
    id: z.string(),
    at: instant,
    orderId: z.string(),
    epoch: z.int(),
    rule: z.string(),
    verdict: z.string(),
    outcome: z.enum(["applied", "lost", "broken"]),
    /** Why it could not be dealt with. */
    fault: z.string().nullable(),
    before: standpoint,
    /** Null unless applied. */
    after: standpoint.nullable(),
  }),
  z.strictObject({
    kind: z.literal("lateReply"),
    id: z.string(),
    at: instant,
    orderId: z.string(),
    attempt: z.int(),
    step: z.string(),
    reason: z.string(),
  }),
]);

/** `GET /api/supervisor/entries`: a day's sweeps, decisions and late replies, the newest first. */
export const ledgerPage = z.strictObject({
  /** In UTC. */
  day: z.string(),
  entries: z.array(ledgerEntry),
  continuation: z.string().optional(),
});

export type Supervisor = z.output<typeof supervisor>;
export type LedgerEntry = z.output<typeof ledgerEntry>;
export type LedgerPage = z.output<typeof ledgerPage>;
export type Standpoint = z.output<typeof standpoint>;
