// What Azure Service Bus allows at most (standard tier), and what this broker answers beyond it.
import { type Limit, limit, type OtherLimit, otherLimit } from "../limit.ts";

const QUOTAS = "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-quotas";
const DUPLICATES = "https://learn.microsoft.com/azure/service-bus-messaging/duplicate-detection";
const QUEUES = "https://learn.microsoft.com/azure/templates/microsoft.servicebus/namespaces/queues";
const LOCKS = "https://learn.microsoft.com/azure/service-bus-messaging/message-transfers-locks-settlement";
const DEAD_LETTERS =
  "https://learn.microsoft.com/dotnet/api/azure.messaging.servicebus.servicebusreceiver.deadlettermessageasync";
const CHAINS = "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-auto-forwarding";
const DELETIONS = "https://learn.microsoft.com/azure/service-bus-messaging/batch-delete#quotas";
const SESSIONS = "https://learn.microsoft.com/azure/service-bus-messaging/message-sessions";

const RANGE = "`com.microsoft:argument-out-of-range`";
const SETTINGS = "400, or an error at the start";
const QUOTA = "403, or an error at the start";
const KB = 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

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
  maxDeliveryCount: limit("The deliveries of a message", 2000, "", SETTINGS, QUEUES),
  entityMegabytes: limit("The size of a queue in MB", 5 * KB, "", SETTINGS, QUOTAS),
  partitionedMegabytes: limit("The size of a partitioned queue in MB", 80 * KB, "", SETTINGS, QUOTAS),
  usualMegabytes: limit(
    "What a queue of the usual size holds, in MB",
    KB,
    "",
    "`amqp:resource-limit-exceeded`",
    QUOTAS,
  ),
  userMetadata: limit("The metadata of an entity", 1024, "characters", SETTINGS, QUEUES),
  entityName: limit("The name of a queue", 260, "characters", SETTINGS, QUOTAS),
  entities: limit("The queues of a namespace", 10_000, "", QUOTA, QUOTAS),
  partitionedEntities: limit("The partitioned queues of a namespace", 100, "", QUOTA, QUOTAS),
  deletedMessages: limit("The messages that one request deletes", 500, "", RANGE, DELETIONS),
  peekedMessages: limit("The messages that one request peeks at", 250, "", "the first ones are answered", QUOTAS),
  connections: limit("The connections to a namespace", 5000, "", "`amqp:resource-limit-exceeded`", QUOTAS),
  idleSenderMs: limit(
    "The time in which a sender sends nothing",
    10 * MINUTE,
    "ms",
    "it is detached, with `--like-azure` after 30 s",
    "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-amqp-troubleshoot",
  ),
  hops: limit("The entities that forward a message one after the other", 4, "", "a dead letter", CHAINS),
} as const satisfies Readonly<Record<string, Limit>>;

const THROTTLING = "https://learn.microsoft.com/azure/service-bus-messaging/service-bus-throttling";

/** What passes here and not in Azure. */
export const BUS_NOT_KEPT = {
  receives: otherLimit(
    "Receive requests on an entity at one time",
    "5,000",
    "as many as the machine has room for",
    QUOTAS,
  ),
  namespaceGigabytes: otherLimit(
    "All entities of a namespace together",
    "400 GB",
    "what the disk has room for",
    QUOTAS,
  ),
  sessionStates: otherLimit("Session states of an entity", "1,000,000", "as many as the machine has room for", QUOTAS),
  credits: otherLimit(
    "Operations of a namespace",
    "1,000 credits a second",
    "not counted; with `--like-azure` each 50th send is answered as by a busy server",
    THROTTLING,
  ),
} as const satisfies Readonly<Record<string, OtherLimit>>;

/** What passes in Azure up to a limit, and here not at all or only once. */
export const BUS_STRICTER = {
  topics: otherLimit(
    "Topics, subscriptions and rules",
    "10,000 topics, with 2,000 subscriptions each",
    "refused by name",
    QUOTAS,
  ),
  accessRules: otherLimit("The authorization rules of an entity", "12", "refused by name", QUOTAS),
  idleTime: otherLimit("The time until an idle entity is deleted", "5 minutes at least", "refused by name", QUEUES),
  transactions: otherLimit("The messages of a transaction", "100", "transactions are refused by name", QUOTAS),
  largeMessages: otherLimit(
    "Messages above 256 KB",
    "100 MB in the premium tier",
    "rejected, as in the standard tier",
    QUOTAS,
  ),
  namespaces: otherLimit("Namespaces of a subscription", "1,000", "one, whatever its name", QUOTAS),
  networks: otherLimit(
    "IP filter rules and virtual networks of a namespace",
    "128",
    "none: the broker answers this machine alone",
    QUOTAS,
  ),
} as const satisfies Readonly<Record<string, OtherLimit>>;
