// The strict reader of the entities that a file or a program declares: a member that nobody reads is a fault, not a silent loss.
import { z } from "zod";
import { eachWithoutNotes, hidden, readNotes, type WithNotes } from "../../notes.ts";
import type { ArmProperties } from "../queue/queue-settings.ts";

/** With the members of ARM. */
export interface QueueEntity {
  readonly name: string;
  /** Absent: the service's defaults. */
  readonly properties?: ArmProperties;
}

export interface TopicEntity extends QueueEntity {
  readonly subscriptions?: readonly SubscriptionEntity[];
}

export interface SubscriptionEntity extends QueueEntity {
  /** All that the subscription has; absent: the one that selects everything. Properties as in ARM. */
  readonly rules?: readonly QueueEntity[];
}

export interface DeclaredEntities extends WithNotes {
  readonly queues?: readonly QueueEntity[];
  readonly topics?: readonly TopicEntity[];
}

const COMMON = [
  "autoDeleteOnIdle",
  "defaultMessageTimeToLive",
  "duplicateDetectionHistoryTimeWindow",
  "enableBatchedOperations",
  "status",
  "userMetadata",
];
/** Of a queue and a topic. */
const STORES = [
  "enableExpress",
  "enablePartitioning",
  "maxMessageSizeInKilobytes",
  "maxSizeInMegabytes",
  "requiresDuplicateDetection",
];
/** Of a queue and a subscription. */
const SOURCES = [
  "deadLetteringOnMessageExpiration",
  "forwardDeadLetteredMessagesTo",
  "forwardTo",
  "lockDuration",
  "maxDeliveryCount",
  "requiresSession",
];

/** Source: the ARM templates of Microsoft.ServiceBus. Their values are checked where they are read. */
function propertiesOf(names: readonly string[]) {
  const members = Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));
  return z.strictObject(members).default({});
}

const name = z.string();
const rules = z.array(z.strictObject({ name, properties: z.record(z.string(), z.unknown()).default({}) }));
const subscriptions = z.array(
  z.strictObject({
    name,
    properties: propertiesOf([
      ...COMMON,
      ...SOURCES,
      "clientAffineProperties",
      "deadLetteringOnFilterEvaluationExceptions",
      "isClientAffine",
    ]),
    rules: rules.optional(),
  }),
);
const queues = z.array(z.strictObject({ name, properties: propertiesOf([...COMMON, ...STORES, ...SOURCES]) }));
const topics = z.array(
  z.strictObject({
    name,
    properties: propertiesOf([...COMMON, ...STORES, "supportOrdering"]),
    subscriptions: subscriptions.optional(),
  }),
);

const declaredEntities = z.object({ queues: queues.optional(), topics: topics.optional() });

const KNOWN = ["name", "properties", "subscriptions", "rules"];

/** What is declared, without its notes. Throws one error that names every unknown member by its place. */
export function readDeclared(declared: DeclaredEntities): z.output<typeof declaredEntities> {
  const notes = readNotes(declared.notes);
  const { data, error } = declaredEntities.safeParse(typeof notes === "string" ? declared : noteless(declared, notes));
  const fault = typeof notes === "string" ? notes : hidden(notes, KNOWN);
  if (data && fault === undefined) return data;
  throw new Error(`The declared queues and topics are not valid:\n${fault ?? (error && z.prettifyError(error))}`);
}

function noteless({ queues: all, topics: others }: DeclaredEntities, notes: readonly string[]): object {
  const topicsOnly = eachWithoutNotes(others, notes);
  return {
    queues: eachWithoutNotes(all, notes),
    topics: Array.isArray(topicsOnly) ? topicsOnly.map((topic) => withoutInnerNotes(topic, notes)) : topicsOnly,
  };
}

function withoutInnerNotes(topic: unknown, notes: readonly string[]): unknown {
  if (typeof topic !== "object" || topic === null || !("subscriptions" in topic)) return topic;
  return { ...topic, subscriptions: eachWithoutNotes(topic.subscriptions, notes) };
}
