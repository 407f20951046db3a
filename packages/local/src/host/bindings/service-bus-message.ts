// What a function sees of a Service Bus message: the body and the metadata, by the names and with the traps of the real extension.
import type { TypedData } from "../contract.ts";
import { bodyBytes, bodyText, type IncomingMessage } from "./message-body.ts";
import { textAsJson, textData } from "./typed-data.ts";

type Metadata = Record<string, TypedData>;

/** Objects of the .NET SDK, which a function in Node can see but not use. */
const OPAQUE: Readonly<Metadata> = {
  MessageReceiver: { json: "{}" },
  MessageActions: { json: "{}" },
  ReceiveActions: { json: "{}" },
  Client: { json: "{}" },
};
const OPAQUE_IN_SESSION: Readonly<Metadata> = { MessageSession: { json: "{}" }, SessionActions: { json: "{}" } };

export function isBinary(dataType: unknown): boolean {
  return typeof dataType === "string" && /^(binary|stream)$/i.test(dataType);
}

/** The trigger's input and metadata for one message. Throws an UnboundBody. */
export function messageInput(message: IncomingMessage, binary: boolean): { data: TypedData; metadata: Metadata } {
  const inSession = message.sessionId !== undefined;
  const metadata: Metadata = { ...OPAQUE, ...(inSession && OPAQUE_IN_SESSION) };
  for (const [name, value] of properties(message)) metadata[name] = propertyData(value);
  if (binary) return { data: { bytes: bodyBytes(message) }, metadata };
  const text = bodyText(message);
  addBodyProperties(text, metadata);
  return { data: textData(text), metadata };
}

/** The trigger's input and metadata for a batch. Throws an UnboundBody. */
export function batchInput(
  messages: readonly IncomingMessage[],
  binary: boolean,
): { data: TypedData; metadata: Metadata } {
  const metadata: Metadata = { ...OPAQUE, ...(messages[0]?.sessionId !== undefined && OPAQUE_IN_SESSION) };
  const columns = new Map<string, unknown[]>();
  messages.forEach((message, index) => {
    for (const [name, value] of properties(message)) {
      const column = columns.get(name) ?? new Array(messages.length).fill(null);
      column[index] = value;
      columns.set(name, column);
    }
  });
  for (const [name, column] of columns) metadata[`${name}Array`] = { json: JSON.stringify(column) };
  const data: TypedData = binary
    ? { collectionBytes: { bytes: messages.map(bodyBytes) } }
    : { json: `[${messages.map((message) => textAsJson(bodyText(message))).join(",")}]` };
  return { data, metadata };
}

type Property = string | number | object;

/** By the names of the extension; what is null is left out. */
function properties(message: IncomingMessage): [string, Property][] {
  const { enqueuedTimeUtc, expiresAtUtc, sequenceNumber, deliveryCount } = message;
  const applicationProperties = withTexts(message.applicationProperties ?? {});
  const candidates: [string, unknown][] = [
    // The header counts failures; .NET, and so the extension, counts deliveries.
    ["DeliveryCount", deliveryCount === undefined ? undefined : deliveryCount + 1],
    ["DeadLetterSource", message.deadLetterSource],
    ["LockToken", message.lockToken],
    ["ExpiresAtUtc", expiresAtUtc && timeText(expiresAtUtc)],
    ["ExpiresAt", expiresAtUtc && timeText(expiresAtUtc)],
    ["EnqueuedTimeUtc", enqueuedTimeUtc && timeText(enqueuedTimeUtc)],
    ["EnqueuedTime", enqueuedTimeUtc && timeText(enqueuedTimeUtc)],
    ["MessageId", message.messageId],
    ["ContentType", message.contentType],
    ["ReplyTo", message.replyTo],
    ["SequenceNumber", sequenceNumber?.toNumber()],
    ["To", message.to],
    ["Subject", message.subject],
    ["Label", message.subject],
    ["CorrelationId", message.correlationId],
    ["ApplicationProperties", applicationProperties],
    ["UserProperties", applicationProperties],
    ["SessionId", message.sessionId],
    ["ReplyToSessionId", message.replyToSessionId],
    ["PartitionKey", message.partitionKey],
    ["TransactionPartitionKey", undefined],
  ];
  const present: [string, Property][] = [];
  for (const [name, value] of candidates) {
    if (value === undefined || value === null) continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "object")
      present.push([name, value]);
  }
  return present;
}

/** Past the end of .NET's time, which is where a message without a time to live expires. */
const TIME_ENDS_AT = Date.UTC(10_000, 0);
const LAST_TIME = "9999-12-31T23:59:59.9999999Z";

/** An instant as .NET writes it: without zeros at its end. */
function timeText(at: Date): string {
  return at.getTime() >= TIME_ENDS_AT ? LAST_TIME : at.toISOString().replace(/\.?0*Z$/, "Z");
}

function withTexts(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const texts = Object.entries(properties).map(([name, value]) => [
    name,
    value instanceof Date ? timeText(value) : value,
  ]);
  return Object.fromEntries(texts) as Record<string, unknown>;
}

function propertyData(value: unknown): TypedData {
  if (typeof value === "string") return textData(value);
  if (typeof value === "number" && Number.isSafeInteger(value)) return { int: value };
  return { json: JSON.stringify(value) };
}

/** The extension takes a JSON body's top-level properties for metadata too: they overwrite those of the same name, whatever the case. */
function addBodyProperties(text: string, metadata: Metadata): void {
  if (!/^\s*\{/.test(text)) return;
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return;
  }
  const names = new Map(Object.keys(metadata).map((name) => [name.toLowerCase(), name]));
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue;
    try {
      metadata[names.get(name.toLowerCase()) ?? name] = propertyData(value);
    } catch (cause) {
      // Nested deeper than JSON can be written: such a body has no properties for the extension either.
      if (!(cause instanceof RangeError)) throw cause;
    }
  }
}

/** The trace that the sender was in, if it said so. */
export function traceParent({ applicationProperties = {} }: IncomingMessage): string | undefined {
  const value = applicationProperties["traceparent"] ?? applicationProperties["Diagnostic-Id"];
  return typeof value === "string" && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(value) ? value : undefined;
}
