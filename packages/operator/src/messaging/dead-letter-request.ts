// The contract of an operator's requests about dead letters: each is checked as a whole, and every fault is named.

import { type Checked, check, checkJson, checkQuery } from "@scheduler-agent-supervisor/core/messaging";
import { z } from "zod";
import { MOST_IN_A_WAVE } from "../domain/message-waves.ts";
import type { DiscardedPosition } from "../store/discarded-store.ts";
import type { Edit } from "./dead-letters.ts";
import { continuation, pageSize } from "./paging.ts";

const PAGE = { usual: 25, most: 100 } as const;
/** Sequence numbers are 64 bits. */
const SEQUENCE_NUMBER = /^(0|[1-9]\d{0,18})$/;
const LARGEST = 2n ** 63n - 1n;

const reason = z.string().trim().min(1).max(500);
const sequenceNumber = z
  .string()
  .refine((text) => SEQUENCE_NUMBER.test(text) && BigInt(text) <= LARGEST, { error: "must be a sequence number" });

export const deadLetterQuery = z.strictObject({
  queue: z.string().min(1).max(300).optional(),
  limit: pageSize(PAGE),
  /** The continuation from the previous page. */
  from: sequenceNumber.default("0"),
});

export type DeadLetterListRequest = z.output<typeof deadLetterQuery>;

/** @param query the URL's query, each name with its value */
export function parseDeadLetterList(query: Iterable<[string, string]>): Checked<DeadLetterListRequest> {
  return checkQuery(deadLetterQuery, query);
}

const position = z.strictObject({
  at: z.iso.datetime(),
  shown: z.array(z.string().max(200)).max(500),
}) satisfies z.ZodType<DiscardedPosition>;

export const discardedQuery = z.strictObject({ limit: pageSize(PAGE), continuation: continuation(position) });

/** @param query the URL's query, each name with its value */
export function parseDiscardedList(query: Iterable<[string, string]>): Checked<z.output<typeof discardedQuery>> {
  return checkQuery(discardedQuery, query);
}

export type DeadLetterAction = "resend" | "discard";

export interface DeadLetterRequest {
  readonly action: DeadLetterAction;
  readonly reason: string;
  readonly edit?: Edit;
}

/** A JSON merge patch (RFC 7396): by it one edits what one is not shown the whole of, and many messages alike. */
const patch = z.record(z.string(), z.unknown()).optional();
type Patch = NonNullable<z.output<typeof patch>>;

export const deadLetterBodies = {
  resend: z
    .strictObject({ reason, body: z.unknown().optional(), patch })
    .refine((asked) => !Object.hasOwn(asked, "body") || asked.patch === undefined, {
      path: ["patch"],
      error: "must not be given together with a body",
    }),
  discard: z.strictObject({ reason }),
} as const;

/** One cause's messages can be edited together, if their bodies are JSON objects. */
export const messageWaveBody = z
  .strictObject({
    queue: z.string().min(1).max(300),
    action: z.enum(["resend", "discard"]),
    reason,
    numbers: z.array(sequenceNumber).min(1).max(MOST_IN_A_WAVE),
    /** For the body of each. */
    patch,
  })
  .refine(({ action, patch }) => patch === undefined || action === "resend", {
    path: ["patch"],
    error: "goes with the action resend alone",
  });

/** @param text the request's body */
export function parseMessageWave(text: string): Checked<z.output<typeof messageWaveBody>> {
  return checkJson(messageWaveBody, text, "the body");
}

export const deadLetterCausesQuery = z.strictObject({ queue: z.string().min(1).max(300) });

/** @param query the URL's query, each name with its value */
export function parseDeadLetterCauses(
  query: Iterable<[string, string]>,
): Checked<z.output<typeof deadLetterCausesQuery>> {
  return checkQuery(deadLetterCausesQuery, query);
}

/** @param text the request's body */
export function parseDeadLetterRequest(action: DeadLetterAction, text: string): Checked<DeadLetterRequest> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: "invalid", faults: ["the body must be a JSON object"] };
  }
  const parsed = check<{ reason: string; body?: unknown; patch?: Patch | undefined }>(
    deadLetterBodies[action],
    json,
    "the body",
  );
  if (parsed.kind === "invalid") return parsed;
  const { reason, body, patch } = parsed.value;
  if (patch) return { kind: "valid", value: { action, reason, edit: { patch } } };
  // A body that is null is one too.
  const hasBody = action === "resend" && Object.hasOwn(Object(json), "body");
  return { kind: "valid", value: { action, reason, ...(hasBody && { edit: { body } }) } };
}

export function isSequenceNumber(text: string): boolean {
  return sequenceNumber.safeParse(text).success;
}
