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
const SETTINGS = "https://learn.microsoft.com/azure/azure-functions/functions-bindings-expressions-patterns";
const EXTENSION =
  "https://github.com/Azure/azure-functions-durable-extension/blob/dev/src/WebJobs.Extensions.DurableTask";
const CLIENT = `${EXTENSION}/ContextImplementations/DurableClient.cs`;
const STORAGE = `${EXTENSION}/Options/AzureStorageOptions.cs`;

const AT_START = "an error at the start";

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
  sameRoute: rejection("A route with a method that another function has too", AT_START, ROUTES),
  ownRoute: rejection("A route that begins with admin or runtime", AT_START, ROUTES),
  setting: rejection("A `%setting%` that is missing", AT_START, SETTINGS),
  version: rejection('A host.json whose version is not "2.0"', AT_START, HOST_JSON),
  hostJsonType: rejection("A value in host.json that its member cannot have", AT_START, OPTIONS),
  bundle: rejection("An extension bundle without an id, or whose version is no range", AT_START, BUNDLES),
  visibility: rejection("A `controlQueueVisibilityTimeout` of more than 60 minutes", AT_START, STORAGE),
  instanceId: rejection("An instance id with / \\ # ? or a control character, or that begins with @", "400", CLIENT),
  entityKey: rejection(
    "A key of an entity with / \\ # ? or a control character, in a signal of a client",
    "400",
    CLIENT,
  ),
} as const satisfies Readonly<Record<string, Rejection>>;
