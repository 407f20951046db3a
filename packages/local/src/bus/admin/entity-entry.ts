// Atom entries of queues, as `ServiceBusAdministrationClient` writes and reads them.

import type { Entity } from "../entities/entity.ts";
import type { ArmProperties } from "../queue/queue-settings.ts";
import { readContent, tag, writeEntry, XmlFault } from "./atom.ts";

const NEVER = "P10675199DT2H48M5.4775807S";
const COUNTS = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

type Kind = "text" | "number" | "flag";
type Element = readonly [name: string, kind: Kind, ifAbsent: string | undefined];

/** The elements of a description, in the service's order, with their defaults; ARM writes the names with a small first letter. */
const ELEMENTS: readonly Element[] = [
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

const DESCRIPTION = "QueueDescription";
const NO_RIGHTS = "Authorization rules are not supported by this broker: it has one key, with all rights.";

/** The properties that an entry describes; `undefined` if it is of no queue. Throws an XmlFault. */
export function readEntity(xml: string): ArmProperties | undefined {
  const description = readContent(xml, DESCRIPTION);
  if (description === undefined) return undefined;
  if (typeof description["AuthorizationRules"] === "object") throw new XmlFault(NO_RIGHTS);
  const properties = ELEMENTS.flatMap(([name, type]) => {
    const text = description[name] ?? "";
    if (typeof text !== "string") throw new XmlFault(`The element ${name} is a text, and has elements`);
    return text === "" ? [] : [[armName(name), read(type, name.startsWith("Forward") ? lowerHost(text) : text)]];
  });
  return Object.fromEntries(properties);
}

/** The service writes the entity to forward to as a URL whose host is in small letters. */
function lowerHost(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, (host) => host.toLowerCase());
}

function read(kind: Kind, text: string): unknown {
  switch (kind) {
    case "text":
      return text;
    case "number":
      if (!/^\d+$/.test(text)) throw new XmlFault(`The value '${text}' is not a number`);
      return Number(text);
    case "flag":
      if (!/^(true|false|1|0)$/i.test(text)) throw new XmlFault(`The value '${text}' is not true or false`);
      return /^(true|1)$/i.test(text);
    default:
      return kind satisfies never;
  }
}

/** @param base where the entities are, such as `http://127.0.0.1:5300`. */
export function writeEntity(base: string, entity: Entity, sizeInBytes: number): string {
  const { name, properties, createdAt, updatedAt } = entity.row;
  const settings = ELEMENTS.flatMap(([element, , ifAbsent]) => {
    const value = properties[armName(element)] ?? defaultOf(element, ifAbsent, properties);
    return value === undefined ? [] : tag(element, String(value));
  });
  const [created, updated] = [new Date(createdAt).toISOString(), new Date(updatedAt).toISOString()];
  return writeEntry({ id: `${base}/${name}`, title: name, createdAt, updatedAt }, DESCRIPTION, [
    ...settings,
    ...writeCounts(entity),
    tag("SizeInBytes", String(sizeInBytes)),
    tag("CreatedAt", created),
    tag("UpdatedAt", updated),
    tag("AccessedAt", updated),
    tag("EntityAvailabilityStatus", "Available"),
  ]);
}

/** A partitioned entity has sixteen partitions of the usual size (Service Bus documentation, "Partitioned queues and topics"). */
function defaultOf(element: string, usual: string | undefined, properties: ArmProperties): string | undefined {
  const isPartitioned = element === "MaxSizeInMegabytes" && properties["enablePartitioning"] === true;
  return isPartitioned ? String(16 * Number(usual)) : usual;
}

function writeCounts(entity: Entity): string[] {
  const { active, deadLetter, scheduled, deferred } = entity.count();
  const counts = [
    tag("d2p1:ActiveMessageCount", String(active)),
    tag("d2p1:DeadLetterMessageCount", String(deadLetter)),
    tag("d2p1:ScheduledMessageCount", String(scheduled)),
    tag("d2p1:TransferDeadLetterMessageCount", "0"),
    tag("d2p1:TransferMessageCount", "0"),
  ];
  const total = active + deadLetter + scheduled + deferred;
  return [tag("MessageCount", String(total)), `<CountDetails xmlns:d2p1="${COUNTS}">${counts.join("")}</CountDetails>`];
}

function armName(element: string): string {
  return element.charAt(0).toLowerCase() + element.slice(1);
}
