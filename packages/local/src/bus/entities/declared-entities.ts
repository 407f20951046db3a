// The strict reader of the entities that a file or a program declares: a member that nobody reads is a fault, not a silent loss.
import { z } from "zod";

/** Members that deployments and templates add for themselves; they have no effect here. */
const NOTES = {
  senders: z.unknown().optional(),
  listeners: z.unknown().optional(),
  submission: z.unknown().optional(),
  team: z.unknown().optional(),
};

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
    ...NOTES,
  }),
);
const queues = z.array(
  z.strictObject({ name, properties: propertiesOf([...COMMON, ...STORES, ...SOURCES]), ...NOTES }),
);
const topics = z.array(
  z.strictObject({
    name,
    properties: propertiesOf([...COMMON, ...STORES, "supportOrdering"]),
    subscriptions: subscriptions.optional(),
    ...NOTES,
  }),
);

const declaredEntities = z.object({ queues: queues.optional(), topics: topics.optional() });

/** Throws one error that names every unknown member by its place. */
export function readDeclared(declared: unknown): z.output<typeof declaredEntities> {
  const { data, error } = declaredEntities.safeParse(declared);
  if (data) return data;
  throw new Error(`The declared queues and topics are not valid:\n${z.prettifyError(error)}`);
}
