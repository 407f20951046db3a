// Atom entries of queues, topics and subscriptions, as `ServiceBusAdministrationClient` writes and reads them.

import type { Entity } from "../entities/entity.ts";
import { splitSubscription } from "../entities/entity-path.ts";
import type { ArmProperties, EntityKind } from "../queue/queue-settings.ts";
import { child, readContent, tag, textOf, writeEntry, type XmlElement, XmlFault } from "./atom.ts";
import { readAuthorizationRules, writeAuthorizationRules } from "./authorization-rules.ts";

const NEVER = "P10675199DT2H48M5.4775807S";
const COUNTS = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

type Kind = "text" | "number" | "flag";
type Element = readonly [name: string, kind: Kind, ifAbsent: string | undefined];

/** The elements of each description, in the service's order, with their defaults; ARM writes the names with a small first letter. */
const ELEMENTS: Readonly<Record<EntityKind, readonly Element[]>> = {
  queue: [
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
  ],
  topic: [
    ["DefaultMessageTimeToLive", "text", NEVER],
    ["MaxSizeInMegabytes", "number", "1024"],
    ["RequiresDuplicateDetection", "flag", "false"],
    ["DuplicateDetectionHistoryTimeWindow", "text", "PT10M"],
    ["EnableBatchedOperations", "flag", "true"],
    ["Status", "text", "Active"],
    ["UserMetadata", "text", undefined],
    ["SupportOrdering", "flag", "true"],
    ["AutoDeleteOnIdle", "text", NEVER],
    ["EnablePartitioning", "flag", "false"],
    ["EnableExpress", "flag", "false"],
    ["MaxMessageSizeInKilobytes", "number", "256"],
  ],
  subscription: [
    ["LockDuration", "text", "PT1M"],
    ["RequiresSession", "flag", "false"],
    ["DefaultMessageTimeToLive", "text", NEVER],
    ["DeadLetteringOnMessageExpiration", "flag", "false"],
    ["DeadLetteringOnFilterEvaluationExceptions", "flag", "true"],
    ["MaxDeliveryCount", "number", "10"],
    ["EnableBatchedOperations", "flag", "true"],
    ["Status", "text", "Active"],
    ["ForwardTo", "text", undefined],
    ["UserMetadata", "text", undefined],
    ["ForwardDeadLetteredMessagesTo", "text", undefined],
    ["AutoDeleteOnIdle", "text", NEVER],
  ],
};

const DESCRIPTIONS: Readonly<Record<EntityKind, string>> = {
  queue: "QueueDescription",
  topic: "TopicDescription",
  subscription: "SubscriptionDescription",
};

export interface EntityRequest {
  readonly kind: EntityKind;
  readonly properties: ArmProperties;
  /** A subscription's first rule, if it is not to be the usual one. */
  readonly rule: XmlElement | undefined;
}

/** What an entry describes; `undefined` if it is no entity. */
export function readEntity(xml: string): EntityRequest | undefined {
  for (const kind of ["queue", "topic", "subscription"] as const) {
    const description = readContent(xml, DESCRIPTIONS[kind]);
    if (description === undefined) continue;
    const properties = ELEMENTS[kind].flatMap(([name, type]) => {
      const element = child(description, name);
      if (hasElements(element)) throw new XmlFault(`The element ${name} is a text, and has elements`);
      const text = textOf(element);
      return text === undefined
        ? []
        : [[armName(name), read(type, name.startsWith("Forward") ? lowerHost(text) : text)]];
    });
    const rule = child(description, "DefaultRuleDescription");
    const authorizationRules = readAuthorizationRules(description);
    const rights = authorizationRules && { authorizationRules };
    return { kind, properties: { ...Object.fromEntries(properties), ...rights }, rule };
  }
  return undefined;
}

const hasElements = (element: XmlElement | undefined) =>
  typeof element === "object" && Object.keys(element).some((name) => !/^[#@]/.test(name));

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

export interface EntitySizes {
  readonly sizeInBytes: number;
  /** Of a topic. */
  readonly subscriptions: number;
}

/** @param base where the entities are, such as `http://127.0.0.1:5300`. */
export function writeEntity(base: string, entity: Entity, sizes: EntitySizes): string {
  const { kind, name, properties, createdAt, updatedAt } = entity.row;
  const settings = ELEMENTS[kind].flatMap(([element, , ifAbsent]) => {
    const value = properties[armName(element)] ?? defaultOf(element, ifAbsent, properties);
    return value === undefined ? [] : tag(element, String(value));
  });
  const [created, updated] = [new Date(createdAt).toISOString(), new Date(updatedAt).toISOString()];
  const title = splitSubscription(name)?.name ?? name;
  return writeEntry({ id: `${base}/${name}`, title, createdAt, updatedAt }, DESCRIPTIONS[kind], [
    ...settings,
    writeAuthorizationRules(properties["authorizationRules"]),
    ...writeCounts(entity),
    tag("SizeInBytes", String(sizes.sizeInBytes)),
    ...(kind === "topic" ? [tag("SubscriptionCount", String(sizes.subscriptions))] : []),
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
  return [
    ...(entity.row.kind === "topic" ? [] : [tag("MessageCount", String(total))]),
    `<CountDetails xmlns:d2p1="${COUNTS}">${counts.join("")}</CountDetails>`,
  ];
}

function armName(element: string): string {
  return element.charAt(0).toLowerCase() + element.slice(1);
}
