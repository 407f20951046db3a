// Atom entries of queues, as `ServiceBusAdministrationClient` writes and reads them.
import { XMLParser } from "fast-xml-parser";
import type { QueueDescription } from "./broker.ts";
import type { QueueCounts } from "./queue.ts";
import type { ArmProperties } from "./queue-settings.ts";

const NEVER = "P10675199DT2H48M5.4775807S";
const CONNECT = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
const COUNTS = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

type Kind = "text" | "number" | "flag";

/** The elements of a queue description, in the service's order, with their defaults; ARM writes the names with a small first letter. */
const ELEMENTS: readonly (readonly [name: string, kind: Kind, ifAbsent: string | undefined])[] = [
  ["LockDuration", "text", "PT1M"],
  ["MaxSizeInMegabytes", "number", "1024"],
  ["RequiresDuplicateDetection", "flag", "false"],
  ["RequiresSession", "flag", "false"],
  ["DefaultMessageTimeToLive", "text", NEVER],
  ["DeadLetteringOnMessageExpiration", "flag", "false"],
  ["DuplicateDetectionHistoryTimeWindow", "text", "PT10M"],
  ["MaxDeliveryCount", "number", "10"],
  ["EnableBatchedOperations", "flag", "true"],
  ["Status", "text", "Active"],
  ["ForwardTo", "text", undefined],
  ["UserMetadata", "text", undefined],
  ["AutoDeleteOnIdle", "text", NEVER],
  ["EnablePartitioning", "flag", "false"],
  ["ForwardDeadLetteredMessagesTo", "text", undefined],
  ["EnableExpress", "flag", "false"],
  ["MaxMessageSizeInKilobytes", "number", "256"],
];

const parser = new XMLParser({ parseTagValue: false, removeNSPrefix: true });

/** The ARM properties in an entry; `undefined` if it describes no queue. */
export function readEntry(xml: string): ArmProperties | undefined {
  const document = parser.parse(xml) as { entry?: { content?: { QueueDescription?: Record<string, unknown> | "" } } };
  const description = document.entry?.content?.QueueDescription;
  if (description === undefined) return undefined;
  return Object.fromEntries(
    ELEMENTS.flatMap(([name, kind]) => {
      const text = description === "" ? undefined : description[name];
      return typeof text === "string" && text !== "" ? [[armName(name), read(kind, text)]] : [];
    }),
  );
}

function read(kind: Kind, text: string): unknown {
  switch (kind) {
    case "text":
      return text;
    case "number":
      return Number(text);
    case "flag":
      return text.toLowerCase() === "true";
    default:
      return kind satisfies never;
  }
}

export interface QueueState {
  readonly description: QueueDescription;
  readonly counts: QueueCounts;
  readonly sizeInBytes: number;
}

/** @param base where the queues are, such as `http://127.0.0.1:5300`: the client takes the queue's name from the id. */
export function writeEntry(base: string, state: QueueState): string {
  const { name, properties, createdAt, updatedAt } = state.description;
  const { active, deadLetter, scheduled, deferred } = state.counts;
  const settings = ELEMENTS.flatMap(([element, , ifAbsent]) => {
    const value = properties[armName(element)] ?? ifAbsent;
    return value === undefined ? [] : tag(element, String(value));
  });
  const counts = [
    tag("d2p1:ActiveMessageCount", String(active)),
    tag("d2p1:DeadLetterMessageCount", String(deadLetter)),
    tag("d2p1:ScheduledMessageCount", String(scheduled)),
    tag("d2p1:TransferDeadLetterMessageCount", "0"),
    tag("d2p1:TransferMessageCount", "0"),
  ];
  const [created, updated] = [new Date(createdAt).toISOString(), new Date(updatedAt).toISOString()];
  return [
    `<entry xmlns="http://www.w3.org/2005/Atom">${tag("id", `${base}/${name}`)}<title type="text">${escapeXml(name)}</title>`,
    `${tag("published", created)}${tag("updated", updated)}<content type="application/xml">`,
    `<QueueDescription xmlns="${CONNECT}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">`,
    ...settings,
    tag("SizeInBytes", String(state.sizeInBytes)),
    tag("MessageCount", String(active + deadLetter + scheduled + deferred)),
    `${tag("CreatedAt", created)}${tag("UpdatedAt", updated)}${tag("AccessedAt", updated)}`,
    `<CountDetails xmlns:d2p1="${COUNTS}">${counts.join("")}</CountDetails>`,
    tag("EntityAvailabilityStatus", "Available"),
    "</QueueDescription></content></entry>",
  ].join("");
}

export function writeFeed(base: string, states: readonly QueueState[]): string {
  const entries = states.map((state) => writeEntry(base, state)).join("");
  return `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Queues</title>${tag("id", `${base}/$Resources/Queues`)}${entries}</feed>`;
}

export function writeFault(status: number, detail: string): string {
  return `<Error>${tag("Code", String(status))}${tag("Detail", detail)}</Error>`;
}

function armName(element: string): string {
  return element.charAt(0).toLowerCase() + element.slice(1);
}

function tag(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
