// Makes a plain copy of a received message, and a message from the copy: when it is sent, it equals the original.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { ENVELOPE_TEXTS } from "@scheduler-agent-supervisor/core/messaging";
import Long from "long";
import type { CopiedBody, CopiedValue, MessageCopy } from "../domain/message-copy.ts";

/** @param received read with its body unparsed */
export function messageCopyOf(received: ServiceBusReceivedMessage): MessageCopy {
  const { sequenceNumber, enqueuedTimeUtc, deliveryCount, timeToLive, applicationProperties = {} } = received;
  const texts = ENVELOPE_TEXTS.flatMap((name) =>
    received[name] === undefined ? [] : [[name, String(received[name])]],
  );
  const values = Object.entries(applicationProperties).map(([name, value]) => [name, copied(value)]);
  return {
    sequenceNumber: String(sequenceNumber),
    enqueuedAt: enqueuedTimeUtc?.toISOString() ?? null,
    deliveryCount: deliveryCount ?? 0,
    properties: Object.fromEntries(texts),
    timeToLive: timeToLive ?? null,
    applicationProperties: Object.fromEntries(values),
    body: copiedBody(received),
  };
}

/** With all members that a dead letter needs to be shown and sent again. */
export function receivedOf(copy: MessageCopy): ServiceBusReceivedMessage {
  const { sequenceNumber, enqueuedAt, deliveryCount, properties, timeToLive, body } = copy;
  const values = Object.entries(copy.applicationProperties).map(([name, value]) => [name, original(value)]);
  const applicationProperties = Object.fromEntries(values) as Record<string, string | number | boolean | Date | null>;
  const { DeadLetterReason: reason, DeadLetterErrorDescription: description } = applicationProperties;
  return {
    ...properties,
    sequenceNumber: Long.fromString(sequenceNumber),
    ...(enqueuedAt !== null && { enqueuedTimeUtc: new Date(enqueuedAt) }),
    deliveryCount,
    ...(timeToLive !== null && { timeToLive }),
    applicationProperties,
    ...(reason !== undefined && { deadLetterReason: String(reason) }),
    ...(description !== undefined && { deadLetterErrorDescription: String(description) }),
    body: "base64" in body ? Buffer.from(body.base64, "base64") : body.json,
    _rawAmqpMessage: { bodyType: body.kind, body: undefined },
    state: "active",
  };
}

function copiedBody({ body, _rawAmqpMessage: raw }: ServiceBusReceivedMessage): CopiedBody {
  if (raw.bodyType === "value" && Buffer.isBuffer(body)) return { kind: "value", base64: body.toString("base64") };
  if (raw.bodyType === "value" || raw.bodyType === "sequence") return { kind: raw.bodyType, json: body };
  return { kind: "data", base64: Buffer.from(body ?? "").toString("base64") };
}

function copied(value: unknown): CopiedValue {
  if (value instanceof Date) return { date: value.toISOString() };
  // The SDK reads so what is no text and no number of its own: bytes, uuids, and longs beyond 2^53.
  if (Buffer.isBuffer(value)) return { base64: value.toString("base64") };
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return value === undefined ? null : String(value);
}

function original(value: CopiedValue): unknown {
  if (value === null || typeof value !== "object") return value;
  return "date" in value ? new Date(value.date) : Buffer.from(value.base64, "base64");
}
