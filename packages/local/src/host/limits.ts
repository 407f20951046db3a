// What Azure Functions and Durable Functions allow at most, and what this host answers beyond it.
import { type Limit, limit, type OtherLimit, otherLimit } from "../limit.ts";

const FUNCTIONS = "https://learn.microsoft.com/azure/azure-functions";
const HTTP = `${FUNCTIONS}/functions-bindings-http-webhook-trigger#limits`;
const KESTREL = "https://learn.microsoft.com/dotnet/api/microsoft.aspnetcore.server.kestrel.core.kestrelserverlimits";
const HOST = "https://github.com/Azure/azure-functions-host/blob/dev/src/WebJobs.Script/Utility.cs";
const HUBS = `${FUNCTIONS}/durable/durable-functions-task-hubs#task-hub-names`;
const STATUS = `${FUNCTIONS}/durable/durable-functions-custom-orchestration-status`;
const SCALE = `${FUNCTIONS}/functions-scale`;
const ANSWER = `${SCALE}#timeout`;
const EXTENSION =
  "https://github.com/Azure/azure-functions-durable-extension/blob/dev/src/WebJobs.Extensions.DurableTask";
const CLIENT = `${EXTENSION}/ContextImplementations/DurableClient.cs`;

const SERVICE_BUS =
  "https://github.com/Azure/azure-sdk-for-net/blob/main/sdk/servicebus/Microsoft.Azure.WebJobs.Extensions.ServiceBus/src/Config/ServiceBusHostBuilderExtensions.cs";

const AT_START = "an error at the start";
const FAILS = "the orchestration fails";
const REFUSED = "400, or the orchestration fails";
const SCHEDULER = `${FUNCTIONS}/durable/durable-task-scheduler/durable-task-scheduler#limitations-and-considerations`;
const KB = 1024;

export const HOST_LIMITS = {
  functionName: limit("The name of a function", 128, "characters", AT_START, HOST),
  hubName: limit("The name of a task hub in Azure Storage", 45, "characters", AT_START, HUBS),
  leastHubName: {
    ...limit("The shortest name of a task hub in Azure Storage", 3, "characters", AT_START, HUBS),
    isLeast: true,
  },
  instanceId: limit("The id of an orchestration that a client starts", 256, "characters", "400", CLIENT),
  customStatusBytes: limit("The custom status of an orchestration, as JSON in UTF-16", 16 * KB, "bytes", FAILS, STATUS),
  actions: limit(
    "The actions of an orchestration until it ends or continues as new, unless host.json sets another limit",
    100_000,
    "",
    FAILS,
    `${EXTENSION}/Options/DurableTaskOptions.cs`,
  ),
  retryPauseMs: limit(
    "A pause of a retry in a task hub in Azure Storage",
    6 * 86_400_000,
    "ms",
    FAILS,
    `${EXTENSION}/AzureStorageDurabilityProvider.cs`,
  ),
  payloadBytes: limit(
    "The input or the result of an orchestration or an activity, or the data of an event, in the Durable Task Scheduler",
    KB * KB,
    "bytes",
    "400, or the activity or the orchestration fails",
    SCHEDULER,
  ),
  schedulerId: limit("The id of an orchestration in the Durable Task Scheduler", 100, "characters", REFUSED, SCHEDULER),
  requestBytes: limit("The body of a request, unless the app sets another limit", 100 * KB * KB, "bytes", "413", HTTP),
  requestLineBytes: limit("The first line of a request: method, path and query", 8 * KB, "bytes", "414", KESTREL),
  headersBytes: limit("The headers of a request together", 32 * KB, "bytes", "431", KESTREL),
  headers: limit("The headers of a request", 100, "", "431", KESTREL),
  batchWaitMs: limit("The `maxBatchWaitTime` of Service Bus triggers", 150_000, "ms", AT_START, SERVICE_BUS),
  answerMs: limit("The time until an HTTP function answers", 230_000, "ms", "504, and the function goes on", ANSWER),
} as const satisfies Readonly<Record<string, Limit>>;

const PLANS = `${SCALE}#service-limits`;

/** What passes here and not in every plan of Azure. */
export const HOST_NOT_KEPT = {
  functionTimeout: otherLimit(
    "`functionTimeout`",
    "10 minutes in the Consumption plan",
    "any, as in the plans Flex Consumption and Premium",
    `${SCALE}#timeout`,
  ),
  query: otherLimit(
    "The query of a request",
    "4,096 characters on Windows",
    "the first line as a whole is limited, as on Linux",
    PLANS,
  ),
  connections: otherLimit(
    "Connections that leave an instance",
    "600 active, 1,200 in all in the Consumption plan",
    "not counted",
    PLANS,
  ),
  requests: otherLimit(
    "HTTP requests that an instance takes at one time, and that wait there",
    "100 and 200 in the Consumption plan, else what host.json says; then 429",
    "as many as host.json says, then 429; without that as many as come",
    `${FUNCTIONS}/functions-bindings-http-webhook#hostjson-settings`,
  ),
  memory: otherLimit(
    "The memory of an instance",
    "512, 2,048 or 4,096 MB in the plan Flex Consumption",
    "what the machine has",
    PLANS,
  ),
  instances: otherLimit(
    "Instances of an app",
    "1,000 in the plan Flex Consumption",
    "as many as `--instances` says, 99 of each group at most",
    PLANS,
  ),
  files: otherLimit(
    "Files in the folder of an app",
    "read-only where the app runs from its package, as in the plan Flex Consumption",
    "as the folder's rights say",
    `${FUNCTIONS}/run-functions-from-deployment-package`,
  ),
} as const satisfies Readonly<Record<string, OtherLimit>>;
