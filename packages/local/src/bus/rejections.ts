// What Azure Service Bus refuses whatever its size, and what this broker answers.
import { type Rejection, rejection } from "../limit.ts";

const PARTITIONS = "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-partitioning";
const PAYLOADS = "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-messages-payloads";
const SESSIONS = "https://learn.microsoft.com/azure/service-bus-messaging/message-sessions";
const RECEIVERS = "https://github.com/Azure/azure-service-bus/issues/326";
const CHAINS = "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-auto-forwarding";
const QUEUES = "https://learn.microsoft.com/azure/templates/microsoft.servicebus/namespaces/queues";
const UNKNOWN = "https://learn.microsoft.com/azure/azure-resource-manager/bicep/diagnostics/bcp037";

const BATCHES =
  "https://github.com/Azure/azure-sdk-for-net/blob/main/sdk/servicebus/Azure.Messaging.ServiceBus/TROUBLESHOOTING.md";

const NOT_ALLOWED = "`amqp:not-allowed`";
const AT_START = "an error at the start";

export const BUS_REJECTIONS = {
  sessionKey: rejection(
    "A partition key of a message that is not the id of its session",
    "`com.microsoft:argument-error`",
    PARTITIONS,
  ),
  propertyParts: rejection("A property of a message that is a list or a map", "the send fails", PAYLOADS),
  severalPartitions: rejection(
    "A batch to a partitioned entity whose messages differ in session or partition key, or with duplicate detection in id",
    NOT_ALLOWED,
    BATCHES,
  ),
  noSession: rejection("A message without a session id where sessions are required", NOT_ALLOWED, SESSIONS),
  receiver: rejection(
    "A receiver without a session where sessions are required, and one with a session where they are not",
    NOT_ALLOWED,
    RECEIVERS,
  ),
  forward: rejection(
    "Forwarding to what does not exist, to itself or from what requires sessions",
    "400, or an error at the start",
    CHAINS,
  ),
  fixed: rejection(
    "Another `requiresSession`, `requiresDuplicateDetection` or `enablePartitioning` than at the creation",
    AT_START,
    QUEUES,
  ),
  unknownMember: rejection("An unknown member of a declared queue", AT_START, UNKNOWN),
} as const satisfies Readonly<Record<string, Rejection>>;
