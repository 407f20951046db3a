// What Azure Service Bus allows at most (standard tier), and what this broker answers beyond it.
import type { Limit } from "../limit.ts";

const QUOTAS = "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-quotas";
const DUPLICATES = "https://learn.microsoft.com/azure/service-bus-messaging/duplicate-detection";
const QUEUES = "https://learn.microsoft.com/azure/templates/microsoft.servicebus/namespaces/queues";
const LOCKS = "https://learn.microsoft.com/azure/service-bus-messaging/message-transfers-locks-settlement";
const DEAD_LETTERS =
  "https://learn.microsoft.com/dotnet/api/azure.messaging.servicebus.servicebusreceiver.deadlettermessageasync";
const SESSIONS = "https://learn.microsoft.com/azure/service-bus-messaging/message-sessions";

const RANGE = "`com.microsoft:argument-out-of-range`";
const SETTINGS = "400, or an error at the start";
const KB = 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const limit = (what: string, value: number, unit: Limit["unit"], answer: string, source: string): Limit => ({
  what,
  value,
  unit,
  answer,
  source,
});

export const BUS_LIMITS = {
  messageBytes: limit("A message or a batch", 256 * KB, "bytes", "`amqp:link:message-size-exceeded`", QUOTAS),
  propertyBytes: limit("One property of a message", 32 * KB, "bytes", RANGE, QUOTAS),
  propertiesBytes: limit("All properties of a message", 64 * KB, "bytes", RANGE, QUOTAS),
  messageId: limit("A message id", 128, "characters", RANGE, QUOTAS),
  sessionId: limit("A session id", 128, "characters", RANGE, QUOTAS),
  partitionKey: limit("A partition key", 128, "characters", RANGE, QUOTAS),
  sessionStateBytes: limit("The state of a session", 256 * KB, "bytes", RANGE, SESSIONS),
  deadLetterReason: limit("A reason or description of a dead letter", 4096, "characters", RANGE, DEAD_LETTERS),
  lockMs: limit("The lock of an entity", 5 * MINUTE, "ms", SETTINGS, LOCKS),
  duplicateWindowMs: limit("The window of duplicate detection", 7 * DAY, "ms", SETTINGS, DUPLICATES),
  leastDuplicateWindowMs: {
    ...limit("The shortest window of duplicate detection", 20 * SECOND, "ms", SETTINGS, DUPLICATES),
    isLeast: true,
  },
  leastIdleMs: {
    ...limit("The time until an idle entity is deleted", 5 * MINUTE, "ms", SETTINGS, QUEUES),
    isLeast: true,
  },
  maxDeliveryCount: limit("The deliveries of a message", 2000, "", SETTINGS, QUEUES),
  userMetadata: limit("The metadata of an entity", 1024, "characters", SETTINGS, QUEUES),
  entityName: limit("The name of a queue or a topic", 260, "characters", SETTINGS, QUOTAS),
  partName: limit("The name of a subscription or a rule", 50, "characters", SETTINGS, QUOTAS),
} as const satisfies Readonly<Record<string, Limit>>;
