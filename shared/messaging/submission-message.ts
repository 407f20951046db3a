// The contract of an order message: what a shop sends, checked once, at the front door (P1).
import { z } from "zod";
import type { Order, ReplyAddress } from "../domain/order.ts";
import { check } from "./checked.ts";

const TEXT_LIMIT = 200;
const LINE_LIMIT = 100;
/** What Service Bus takes for a session id. */
const SESSION_ID_LIMIT = 128;
const text = z.string().trim().min(1).max(TEXT_LIMIT);

const orderSchema = z.strictObject({
  /** Becomes a partition key, part of an orchestration's id and part of an idempotency key. */
  orderId: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/,
      "must be 1 to 80 letters, digits, - or _, and begin with a letter or digit",
    ),
  workflow: text.default("order-fulfilment"),
  priority: z.enum(["normal", "high"]).default("normal"),
  customer: z.strictObject({ id: text, email: z.email().optional() }),
  lines: z
    .array(
      z.strictObject({
        sku: text,
        quantity: z.int().min(1).max(10_000),
        unitPrice: z.int().min(0).max(100_000_000),
      }),
    )
    .min(1)
    .max(LINE_LIMIT),
  currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR"),
  paymentToken: text,
  shipTo: z.strictObject({
    name: text,
    street: text,
    city: text,
    postalCode: text,
    country: z.string().regex(/^[A-Z]{2}$/, "must be an ISO 3166-1 alpha-2 code such as DE"),
  }),
}) satisfies z.ZodType<Order>;

/** The parts of a message around its body that submission reads. Anything may stand in them. */
export interface Envelope {
  readonly messageId?: unknown;
  readonly correlationId?: unknown;
  readonly replyTo?: unknown;
  readonly replyToSessionId?: unknown;
}

export interface SubmissionRules {
  readonly workflows: readonly string[];
  /** What a private reply queue may be called. */
  readonly replyQueuePattern: RegExp;
}

export type ParsedSubmission =
  | { readonly kind: "valid"; readonly order: Order; readonly reply: ReplyAddress }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** Checks a message as a whole: the answer names every fault. */
export function parseSubmission(body: unknown, envelope: Envelope, rules: SubmissionRules): ParsedSubmission {
  const parsed = check(orderSchema, body, "order");
  const faults = parsed.kind === "valid" ? [] : [...parsed.faults];
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    faults.splice(0, faults.length, "the body must be a JSON object");
  }
  if (parsed.kind === "valid" && !rules.workflows.includes(parsed.value.workflow)) {
    faults.push(`workflow: must be one of ${rules.workflows.join(", ")}`);
  }
  const replyTo = optionalText(envelope.replyTo);
  if (replyTo !== null && !rules.replyQueuePattern.test(replyTo)) {
    faults.push(
      `message property replyTo: "${replyTo.slice(0, TEXT_LIMIT)}" does not match ${rules.replyQueuePattern.source}`,
    );
  }
  const replyToSessionId = optionalText(envelope.replyToSessionId);
  if (replyToSessionId !== null && replyToSessionId.length > SESSION_ID_LIMIT) {
    faults.push(`message property replyToSessionId: is longer than ${SESSION_ID_LIMIT} characters`);
  }
  if (parsed.kind === "invalid" || faults.length > 0) return { kind: "invalid", faults };
  const correlationId =
    optionalText(envelope.correlationId) ?? optionalText(envelope.messageId) ?? parsed.value.orderId;
  return { kind: "valid", order: parsed.value, reply: { replyTo, replyToSessionId, correlationId } };
}

/** A property's text. One that looks like a number comes as a number: the Functions library parses whatever is JSON. */
function optionalText(value: unknown): string | null {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : null;
}
