// The members of host.json that Microsoft documents: their names without regard to case, as .NET reads them, and what value each can have.
// An unknown one has no effect in Azure, and none here; one that looks like a known one is named.
import { isObject } from "../json.ts";
import { isMisspelt } from "./misspelling.ts";
import { timeSpanMs } from "./schedule/time-span.ts";

type Kind = "text" | "flag" | "count" | "number" | "time" | "any";
interface Members {
  readonly [name: string]: Kind | Members;
}

const RETRY: Members = {
  strategy: "text",
  maxRetryCount: "count",
  delayInterval: "time",
  minimumInterval: "time",
  maximumInterval: "time",
};

const SERVICE_BUS: Members = {
  autoCompleteMessages: "flag",
  clientRetryOptions: { mode: "text", tryTimeout: "time", delay: "time", maxDelay: "time", maxRetries: "count" },
  enableCrossEntityTransactions: "flag",
  maxAutoLockRenewalDuration: "time",
  maxBatchWaitTime: "time",
  maxConcurrentCalls: "count",
  maxConcurrentCallsPerSession: "count",
  maxConcurrentSessions: "count",
  maxMessageBatchSize: "count",
  minMessageBatchSize: "count",
  prefetchCount: "count",
  sessionIdleTimeout: "time",
  transportType: "text",
  webProxy: "text",
  jsonSerializerSettings: "any",
};

const DURABLE: Members = {
  appLeaseOptions: "any",
  defaultVersion: "text",
  entityMessageReorderWindowInMinutes: "count",
  extendedSessionIdleTimeoutInSeconds: "count",
  extendedSessionsEnabled: "flag",
  grpcHttpClientTimeout: "time",
  httpSettings: "any",
  hubName: "text",
  localRpcEndpointEnabled: "flag",
  maxConcurrentActivityFunctions: "count",
  maxConcurrentEntityFunctions: "count",
  maxConcurrentOrchestratorFunctions: "count",
  maxEntityOperationBatchSize: "count",
  maxOrchestrationActions: "count",
  notifications: "any",
  overridableExistingInstanceStates: "text",
  rollbackEntityOperationsOnExceptions: "flag",
  storageProvider: {
    allowReplayingTerminalInstances: "flag",
    connectionName: "text",
    connectionStringName: "text",
    controlQueueBatchSize: "count",
    controlQueueBufferThreshold: "count",
    controlQueueVisibilityTimeout: "time",
    fetchLargeMessagesAutomatically: "flag",
    maxQueuePollingInterval: "time",
    partitionCount: "count",
    trackingStoreConnectionName: "text",
    trackingStoreConnectionStringName: "text",
    trackingStoreNamePrefix: "text",
    type: "text",
    useLegacyPartitionManagement: "flag",
    useTablePartitionManagement: "flag",
    workItemQueueVisibilityTimeout: "time",
  },
  storeInputsInOrchestrationHistory: "flag",
  throwStatusExceptionsOnRaiseEvent: "flag",
  tracing: "any",
  useAppLease: "flag",
  useGracefulShutdown: "flag",
  versionFailureStrategy: "text",
  versionMatchStrategy: "text",
};

const EXTENSIONS: Members = {
  blobs: { maxDegreeOfParallelism: "count", poisonBlobThreshold: "count" },
  cosmosDB: { connectionMode: "text", protocol: "text", userAgentSuffix: "text" },
  durableTask: DURABLE,
  eventHubs: "any",
  http: {
    customHeaders: "any",
    dynamicThrottlesEnabled: "flag",
    hsts: "any",
    maxConcurrentRequests: "count",
    maxOutstandingRequests: "count",
    routePrefix: "text",
  },
  queues: {
    batchSize: "count",
    maxDequeueCount: "count",
    maxPollingInterval: "time",
    messageEncoding: "text",
    newBatchThreshold: "count",
    visibilityTimeout: "time",
  },
  sendGrid: "any",
  serviceBus: SERVICE_BUS,
};

/** Source: the documentation of host.json and of each extension's. */
const MEMBERS: Members = {
  aggregator: { batchSize: "count", flushTimeout: "time" },
  concurrency: {
    cpuThreshold: "number",
    dynamicConcurrencyEnabled: "flag",
    maximumFunctionConcurrency: "count",
    snapshotPersistenceEnabled: "flag",
    totalAvailableMemoryBytes: "count",
  },
  customHandler: "any",
  extensionBundle: "any",
  extensions: EXTENSIONS,
  functionTimeout: "any",
  functions: "any",
  healthMonitor: {
    counterThreshold: "number",
    enabled: "flag",
    healthCheckInterval: "time",
    healthCheckThreshold: "count",
    healthCheckWindow: "time",
  },
  isDefaultHostConfig: "flag",
  logging: {
    applicationInsights: "any",
    console: "any",
    fileLoggingMode: "text",
    logLevel: "any",
  },
  managedDependency: { enabled: "flag" },
  metadataProviderTimeout: "time",
  retry: RETRY,
  sendCanceledInvocationsToWorker: "flag",
  singleton: {
    listenerLockPeriod: "time",
    listenerLockRecoveryPollingInterval: "time",
    lockAcquisitionPollingInterval: "time",
    lockAcquisitionTimeout: "time",
    lockPeriod: "time",
  },
  telemetryMode: "text",
  version: "text",
  watchDirectories: "any",
  watchFiles: "any",
};

type Json = Readonly<Record<string, unknown>>;

interface ReadMembers {
  /** With the names as Microsoft writes them. */
  readonly json: Record<string, unknown>;
  /** Values that stop Microsoft's host. */
  readonly faults: readonly { readonly place: string; readonly fault: string }[];
  /** Members without an effect that look as if one was meant. */
  readonly warnings: readonly string[];
}

export function readMembers(given: Json): ReadMembers {
  const faults: { place: string; fault: string }[] = [];
  const warnings: string[] = [];
  const read = (json: Json, members: Members, path: string): Record<string, unknown> => {
    const named: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(json)) {
      // Of the document itself, which Microsoft's host looks at before .NET does.
      const known = name === "version" ? name : namedIn(members, name);
      const place = `${path}${known ?? name}`;
      const member = known === undefined ? undefined : members[known];
      if (member === undefined) {
        const meant = meantBy(name, members, path);
        if (meant !== undefined)
          warnings.push(`host.json: "${place}" is unknown and has no effect, also in Azure: is "${meant}" meant?`);
      } else if (typeof member === "string") {
        const fault = valueFault(value, member);
        if (fault !== undefined) faults.push({ place, fault });
      }
      named[known ?? name] = typeof member === "object" && isObject(value) ? read(value, member, `${place}.`) : value;
    }
    return named;
  };
  return { json: read(given, MEMBERS, ""), faults, warnings };
}

function namedIn(members: Members, name: string): string | undefined {
  return Object.keys(members).find((known) => known !== "version" && known.toLowerCase() === name.toLowerCase());
}

/** What .NET cannot convert. It ignores lists and objects where it expects a value, and an empty text is no value. */
function valueFault(value: unknown, kind: Kind): string | undefined {
  if (value === null || value === "" || typeof value === "object") return undefined;
  const text = String(value).trim();
  const shown = JSON.stringify(value);
  switch (kind) {
    case "flag":
      return /^(?:true|false)$/i.test(text) ? undefined : `${shown} is neither true nor false`;
    case "count":
      return /^[+-]?\d+$/.test(text) ? undefined : `${shown} is not a whole number`;
    case "number":
      return Number.isFinite(Number(text)) ? undefined : `${shown} is not a number`;
    case "time":
      return timeSpanMs(text) === undefined ? `${shown} is not a time span such as 00:05:00` : undefined;
    default:
      return undefined;
  }
}

/** The place of the member whose name this one resembles, here or, with the same name, elsewhere. */
function meantBy(name: string, members: Members, path: string): string | undefined {
  const near = Object.keys(members).find((known) => isMisspelt(name, known));
  if (near !== undefined) return `${path}${near}`;
  return placesOf(name, MEMBERS, "").find((place) => place !== `${path}${name}`);
}

function placesOf(name: string, members: Members, path: string): string[] {
  return Object.entries(members).flatMap(([known, inner]) => [
    ...(known.toLowerCase() === name.toLowerCase() ? [`${path}${known}`] : []),
    ...(typeof inner === "object" ? placesOf(name, inner, `${path}${known}.`) : []),
  ]);
}
