// Reads host.json: the few settings that matter to this host, with the real host's defaults; of the rest only what Microsoft's host would refuse or ignore is named.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isObject } from "../json.ts";
import { messageOf } from "../thrown.ts";
import type { StorageProviderSettings } from "./durable/engine-profile.ts";
import {
  backendFault,
  type DurableSettings,
  durableSettings,
  durableTask,
  durableWarnings,
  LEAST_VISIBILITY_MS,
  storageOf,
} from "./host-json-durable.ts";
import { readMembers } from "./host-json-members.ts";
import { unmodelledWarnings } from "./host-json-unmodelled.ts";
import { count, countOrNoLimit, flag, timeSpan, timeSpanOrNoLimit } from "./host-json-values.ts";
import { HOST_LIMITS } from "./limits.ts";
import type { LogLevel } from "./log.ts";

export interface ServiceBusSettings {
  readonly maxConcurrentCalls: number;
  readonly maxConcurrentSessions: number;
  readonly maxConcurrentCallsPerSession: number;
  readonly autoCompleteMessages: boolean;
  readonly maxAutoLockRenewalDurationMs: number;
  readonly maxMessageBatchSize: number;
  /** So many messages a batch waits for, but no longer than this. */
  readonly minMessageBatchSize: number;
  readonly maxBatchWaitMs: number;
  readonly sessionIdleTimeoutMs: number;
}

/** Of `extensions.http`. */
export interface HttpSettings {
  /** Requests that functions work on at one time, and those that wait with them; `Infinity`: as many as come. */
  readonly mostAtOnce: number;
  readonly mostHeld: number;
  /** Headers of every answer of a function. */
  readonly customHeaders: Readonly<Record<string, string>>;
}

/** How long a host that was killed keeps other hosts from its timers. */
export interface ListenerLockSettings {
  readonly periodMs: number;
  readonly recoveryPollingIntervalMs: number;
}

export interface HostSettings {
  readonly routePrefix: string;
  readonly http: HttpSettings;
  readonly serviceBus: ServiceBusSettings;
  /** Undefined: no limit. */
  readonly functionTimeoutMs: number | undefined;
  /** By category prefix, as in `logging.logLevel`; its absence means `information`. */
  readonly logLevels: Readonly<Record<string, LogLevel>>;
  /** May still hold a `%Setting%`. */
  readonly hubName: string;
  /** Undefined: as the engine likes. */
  readonly maxActivities: number | undefined;
  readonly maxTurns: number | undefined;
  readonly storage: StorageProviderSettings;
  /** The backend of the task hub in Azure, by its name in host.json. */
  readonly storageType: string;
  readonly durable: DurableSettings;
  /** Whether Azure has the bindings that come with extensions. */
  readonly hasBundle: boolean;
  readonly listenerLock: ListenerLockSettings;
  /** What is taken here and refused in Azure, a line each: times that tests make short. */
  readonly refusedInAzure: readonly string[];
  /** Members without an effect that look as if another one was meant. */
  readonly warnings: readonly string[];
}

const DEFAULT_FUNCTION_TIMEOUT_MS = 30 * 60_000;
const DEFAULT_HUB_NAME = "TestHubName";
/** SingletonOptions: the defaults, and what they may be set to. */
const LISTENER_LOCK = { periodMs: 60_000, recoveryPollingIntervalMs: 60_000 };
const LEAST_LEASE_MS = 15_000;
/** A setting with this prefix overrides the entry of host.json at the path that follows, its parts apart by two underscores. */
const OVERRIDE_PREFIX = "AzureFunctionsJobHost__";

const levelName = z.string().transform((name, context): LogLevel => {
  const known: Readonly<Record<string, LogLevel>> = {
    trace: "trace",
    debug: "debug",
    information: "information",
    warning: "warning",
    error: "error",
    critical: "critical",
    none: "none",
  };
  const level = known[name.toLowerCase()];
  if (level) return level;
  context.addIssue({ code: "custom", message: `"${name}" is not a log level` });
  return z.NEVER;
});

/** Of a NuGet package: a version, perhaps a floating one such as 4.*, or an interval such as [4.*, 5.0.0). */
const VERSION = String.raw`(?:\d+(?:\.\d+){0,3}(?:\.\*)?(?:-[\w.*-]+)?|\*)`;
const VERSION_RANGE = new RegExp(
  String.raw`^(?:${VERSION}|\[\s*${VERSION}\s*\]|[[(]\s*${VERSION}?\s*,\s*${VERSION}?\s*[\])])$`,
);

/** Source: ExtensionBundleConfigurationHelper of Microsoft's host. */
const bundle = z.looseObject({
  id: z.string().regex(/^\w[\w.-]*$/, { error: "is not the id of a package" }),
  version: z.string().regex(VERSION_RANGE, { error: "is not a range of versions such as [4.*, 5.0.0)" }),
});

/** Source: ServiceBusHostBuilderExtensions of the Service Bus extension. */
const mostWaitMs = HOST_LIMITS.batchWaitMs.value;
const batchWait = timeSpan.refine(({ ms }) => ms <= mostWaitMs, { error: `is ${mostWaitMs / 1000} s at most` });
const inOrder = ({
  minMessageBatchSize: least,
  maxMessageBatchSize: most,
}: Record<"minMessageBatchSize" | "maxMessageBatchSize", number>) => least <= most;

const schema = z.object({
  extensionBundle: bundle.optional(),
  functionTimeout: timeSpanOrNoLimit.optional(),
  singleton: z
    .object({ listenerLockPeriod: timeSpan.optional(), listenerLockRecoveryPollingInterval: timeSpan.optional() })
    .prefault({}),
  logging: z.object({ logLevel: z.record(z.string(), levelName).default({}) }).optional(),
  extensions: z
    .object({
      http: z
        .object({
          routePrefix: z.string().default("api"),
          maxConcurrentRequests: countOrNoLimit,
          maxOutstandingRequests: countOrNoLimit,
          customHeaders: z.record(z.string(), z.string()).default({}),
        })
        .prefault({}),
      serviceBus: z
        .object({
          maxConcurrentCalls: count.min(1).default(16),
          maxConcurrentSessions: count.min(1).default(8),
          maxConcurrentCallsPerSession: count.min(1).default(1),
          autoCompleteMessages: flag.default(true),
          maxAutoLockRenewalDuration: timeSpan.optional(),
          maxMessageBatchSize: count.min(1).default(1000),
          minMessageBatchSize: count.default(1),
          maxBatchWaitTime: batchWait.optional(),
          sessionIdleTimeout: timeSpan.optional(),
        })
        .refine(inOrder, { error: "its minMessageBatchSize is larger than its maxMessageBatchSize" })
        .prefault({}),
      durableTask: durableTask.prefault({}),
    })
    .prefault({}),
});

/** Reads `host.json` of the app; a missing file means defaults. Throws one error that names every fault. */
export function readHostJson(appDir: string, settings: Readonly<Record<string, string>>): HostSettings {
  const path = join(appDir, "host.json");
  const json = readJson(path);
  checkVersion(path, json);
  const members = readMembers(override(json, settings));
  const parsed = schema.safeParse(members.json);
  const buildsExtensions = existsSync(join(appDir, "extensions.csproj"));
  const type = parsed.data?.extensions.durableTask.storageProvider.type;
  const backend = type === undefined ? undefined : backendFault(type, buildsExtensions);
  const faults = new Map(
    parsed.error?.issues.map(({ path, message }) => [path.join(".") || "host.json", message] as const),
  );
  for (const { place, fault } of members.faults) faults.set(place, fault);
  if (backend !== undefined) faults.set("extensions.durableTask.storageProvider.type", backend);
  if (!parsed.success || faults.size > 0) {
    const lines = [...faults].map(([place, fault]) => `  ${place}: ${fault}`);
    throw new Error(`${path} is not valid:\n${lines.join("\n")}`);
  }
  const { functionTimeout, logging, extensions, singleton, extensionBundle } = parsed.data;
  const { durableTask: durable } = extensions;
  const storage = storageOf(durable.storageProvider);
  const listenerLock = {
    periodMs: singleton.listenerLockPeriod?.ms ?? LISTENER_LOCK.periodMs,
    recoveryPollingIntervalMs:
      singleton.listenerLockRecoveryPollingInterval?.ms ?? LISTENER_LOCK.recoveryPollingIntervalMs,
  };
  const { maxAutoLockRenewalDuration, sessionIdleTimeout, maxBatchWaitTime, ...serviceBus } = extensions.serviceBus;
  return {
    routePrefix: extensions.http.routePrefix.replace(/^\/+|\/+$/g, ""),
    http: {
      mostAtOnce: extensions.http.maxConcurrentRequests,
      mostHeld: extensions.http.maxOutstandingRequests,
      customHeaders: extensions.http.customHeaders,
    },
    serviceBus: {
      ...serviceBus,
      maxAutoLockRenewalDurationMs: maxAutoLockRenewalDuration?.ms ?? 5 * 60_000,
      sessionIdleTimeoutMs: sessionIdleTimeout?.ms ?? 60_000,
      maxBatchWaitMs: maxBatchWaitTime?.ms ?? 30_000,
    },
    functionTimeoutMs: functionTimeout ? functionTimeout.ms : DEFAULT_FUNCTION_TIMEOUT_MS,
    logLevels: logging?.logLevel ?? {},
    hubName: durable.hubName ?? DEFAULT_HUB_NAME,
    maxActivities: durable.maxConcurrentActivityFunctions,
    maxTurns: durable.maxConcurrentOrchestratorFunctions,
    storage,
    storageType: durable.storageProvider.type,
    durable: durableSettings(durable),
    // Extensions of an app's own, built with .NET, are as good.
    hasBundle: extensionBundle !== undefined || buildsExtensions,
    listenerLock,
    refusedInAzure: refusedInAzure(storage, listenerLock),
    warnings: [...members.warnings, ...unmodelledWarnings(members.json), ...durableWarnings(durable)],
  };
}

/** An empty file is as good as none. */
function checkVersion(path: string, json: Record<string, unknown>): void {
  const { version } = json;
  if (version === "2.0" || Object.keys(json).length === 0) return;
  const what = version === undefined ? "lacks the required" : `has ${JSON.stringify(version)} as its`;
  throw new Error(`${path} ${what} "version", which has to be "2.0".`);
}

function refusedInAzure(storage: StorageProviderSettings, lock: ListenerLockSettings): string[] {
  const { controlQueueVisibilityTimeoutMs: visibilityMs = LEAST_VISIBILITY_MS } = storage;
  const least: readonly (readonly [name: string, ms: number, leastMs: number])[] = [
    ["storageProvider.controlQueueVisibilityTimeout", visibilityMs, LEAST_VISIBILITY_MS],
    ["singleton.listenerLockPeriod", lock.periodMs, LEAST_LEASE_MS],
    ["singleton.listenerLockRecoveryPollingInterval", lock.recoveryPollingIntervalMs, LEAST_LEASE_MS],
  ];
  const short = least.filter(([, ms, leastMs]) => ms < leastMs);
  return short.map(([name, , leastMs]) => `host.json: ${name} is shorter than Azure allows (${leastMs / 1000} s)`);
}

/** Reads a JSON object; a missing file is an empty one. */
export function readJson(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
    throw new Error(`${path} cannot be read`, { cause });
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isObject(value)) return value;
  } catch (cause) {
    throw new Error(`${path} is not valid JSON: ${messageOf(cause)}`, { cause });
  }
  throw new Error(`${path} does not hold a JSON object`);
}

function override(json: Record<string, unknown>, settings: Readonly<Record<string, string>>): Record<string, unknown> {
  const root = structuredClone(json);
  for (const [name, value] of Object.entries(settings)) {
    if (!name.startsWith(OVERRIDE_PREFIX)) continue;
    const path = name.slice(OVERRIDE_PREFIX.length).split("__");
    const last = path.pop();
    if (!last) continue;
    let place = root;
    for (const part of path) {
      const inner = place[part];
      const next = isObject(inner) ? inner : {};
      place[part] = next;
      place = next;
    }
    place[last] = value;
  }
  return root;
}
