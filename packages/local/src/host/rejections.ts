// What Azure Functions and Durable Functions refuse whatever its size, and what this host answers.
import { type Rejection, rejection } from "../limit.ts";

const HOST = "https://github.com/Azure/azure-functions-host/blob/dev/src";
const NAMES = `${HOST}/WebJobs.Script/Utility.cs`;
const DIRECTIONS = `${HOST}/WebJobs.Script.Abstractions/Description/Binding/BindingMetadata.cs`;
const TRIGGERS = `${HOST}/WebJobs.Script/Description/FunctionDescriptorProvider.cs`;
const ENUMS = `${HOST}/WebJobs.Script/Binding/Extensibility/ScriptBindingContext.cs`;
const ROUTES = `${HOST}/WebJobs.Script/Host/ScriptHost.cs`;
const HOST_JSON = `${HOST}/WebJobs.Script/Config/HostJsonFileConfigurationSource.cs`;
const OPTIONS = `${HOST}/WebJobs.Script/Config/ScriptJobHostOptionsSetup.cs`;
const BUNDLES = "https://learn.microsoft.com/azure/azure-functions/extension-bundles";
const TEMPLATES = "https://learn.microsoft.com/aspnet/core/fundamentals/routing#route-templates";
const HEADERS =
  "https://github.com/dotnet/aspnetcore/blob/main/src/Servers/Kestrel/Core/src/Internal/Http/HttpHeaders.cs";
const SETTINGS = "https://learn.microsoft.com/azure/azure-functions/functions-bindings-expressions-patterns";
const EXTENSION =
  "https://github.com/Azure/azure-functions-durable-extension/blob/dev/src/WebJobs.Extensions.DurableTask";
const WEBHOOKS = `${EXTENSION}/HttpApiHandler.cs`;
const CLIENT = `${EXTENSION}/ContextImplementations/DurableClient.cs`;
const STORAGE = `${EXTENSION}/Options/AzureStorageOptions.cs`;
const DURABLE = `${EXTENSION}/Options/DurableTaskOptions.cs`;
const BACKENDS = `${EXTENSION}/DurableTaskExtension.cs`;
const ORCHESTRATION = `${EXTENSION}/ContextImplementations/DurableOrchestrationContext.cs`;
const ACTIONS = `${EXTENSION}/Listener/OutOfProcOrchestrationShim.cs`;
const DISPATCHER = "https://github.com/Azure/durabletask/blob/main/src/DurableTask.Core/TaskOrchestrationDispatcher.cs";
const RETRIES = "https://github.com/Azure/azure-functions-durable-js/issues/629";
const SERVICE_BUS =
  "https://github.com/Azure/azure-sdk-for-net/blob/main/sdk/servicebus/Microsoft.Azure.WebJobs.Extensions.ServiceBus/src/Config/ServiceBusHostBuilderExtensions.cs";

const FUNCTIONS = "https://learn.microsoft.com/azure/azure-functions";
const TIME_SPANS = `${FUNCTIONS}/errors-diagnostics/diagnostic-events/azfd0015`;
const TIME_ZONES = `${FUNCTIONS}/functions-bindings-timer#ncrontab-time-zones`;

const AT_START = "an error at the start";
const FAILS = "the orchestration fails";
/** In Azure it stays Running for good. */
const FAILS_HERE = "the orchestration fails; in Azure it never ends";

export const HOST_REJECTIONS = {
  functionName: rejection("A name of a function with other characters, or that differs only in case", AT_START, NAMES),
  bindingName: rejection("A name of a binding that is not of letters and digits, first a letter", AT_START, NAMES),
  bindingNameCase: rejection("Two bindings of a function whose names differ only in case", AT_START, TRIGGERS),
  returnDirection: rejection("A binding `$return` that is no output", AT_START, NAMES),
  direction: rejection("A direction of a binding other than in, out and inout", AT_START, DIRECTIONS),
  triggers: rejection("A function with several triggers, or with one that is an output", AT_START, TRIGGERS),
  authLevel: rejection("An `authLevel` that does not exist", AT_START, ENUMS),
  retry: rejection("A retry policy without its count or its intervals, or with a count below -1", AT_START, NAMES),
  route: rejection("A route that is no template of ASP.NET", AT_START, TEMPLATES),
  answerHeader: rejection("A header of a function's answer with characters that are not of ASCII", "500", HEADERS),
  sameRoute: rejection("A route with a method that another function has too", AT_START, ROUTES),
  ownRoute: rejection("A route that begins with admin or runtime", AT_START, ROUTES),
  setting: rejection("A `%setting%` that is missing", AT_START, SETTINGS),
  timeSpan: rejection("A timer in the flex topology whose schedule is a time span", AT_START, TIME_SPANS),
  timeZone: rejection(
    "The zone of `WEBSITE_TIME_ZONE` in the flex topology",
    "a warning at the start, and timers run in UTC",
    TIME_ZONES,
  ),
  version: rejection('A host.json whose version is not "2.0"', AT_START, HOST_JSON),
  hostJsonType: rejection("A value in host.json that its member cannot have", AT_START, OPTIONS),
  bundle: rejection("An extension bundle without an id, or whose version is no range", AT_START, BUNDLES),
  batchSizes: rejection("A `minMessageBatchSize` above the `maxMessageBatchSize`", AT_START, SERVICE_BUS),
  visibility: rejection("A `controlQueueVisibilityTimeout` of more than 60 minutes", AT_START, STORAGE),
  backend: rejection("A backend of Durable Functions that no extension bundle has", AT_START, BACKENDS),
  durableCount: rejection("A member of `durableTask` with a value that its options do not allow", AT_START, DURABLE),
  childId: rejection(
    "A sub-orchestration whose id is that of its parent or of its parent's parent, or begins with @",
    FAILS_HERE,
    ORCHESTRATION,
  ),
  takenId: rejection("A sub-orchestration with the id of an instance that has not ended", FAILS_HERE, DISPATCHER),
  unknownFunction: rejection(
    "An activity or sub-orchestration that the app does not have, called by an orchestrator",
    FAILS_HERE,
    "https://github.com/Azure/azure-functions-durable-js/issues/197",
  ),
  timerYear: rejection("A timer before the year 1 or after the year 9999", FAILS, ACTIONS),
  retryOptions: rejection("A retry without an attempt, or with a number that is no int of .NET", FAILS_HERE, RETRIES),
  retryTimeout: rejection(
    "A retry whose `retryTimeoutInMilliseconds` is over, or whose pause is 0",
    FAILS_HERE,
    RETRIES,
  ),
  instanceId: rejection("An instance id with / \\ # ? or a control character, or that begins with @", "400", CLIENT),
  schedulerId: rejection(
    "An instance id in the Durable Task Scheduler with a character that is not of ASCII",
    "400",
    "https://learn.microsoft.com/azure/azure-functions/durable/durable-task-scheduler/durable-task-scheduler#limitations-and-considerations",
  ),
  eventBody: rejection("An event without a body, or whose body is not declared as JSON", "400", WEBHOOKS),
} as const satisfies Readonly<Record<string, Rejection>>;
