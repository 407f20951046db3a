// What host.json says of Durable Functions: `extensions.durableTask`, with what the extension and its backend reject at the start.
import { z } from "zod";
import type { StorageProviderSettings } from "./durable/engine-profile.ts";
import { count, flag, timeSpan } from "./host-json-values.ts";

/** What an orchestration is held to. */
export interface DurableSettings {
  /** The backend of the task hub in Azure, by its name in host.json. */
  readonly storageType?: string | undefined;
  readonly maxActions?: number | undefined;
}

/** AzureStorageOptions, Validate. */
export const LEAST_VISIBILITY_MS = 60_000;
const MOST_VISIBILITY_MS = 60 * 60_000;
const MOST_PARTITIONS = 16;
/** EventGridNotificationOptions, Validate. */
const MOST_PUBLISH_RETRY_MS = 60 * 60_000;
/** What a queue of Azure Storage gives at once. */
const MOST_MESSAGES = 32;

/** The backends in Microsoft's extension bundles (DurableTaskExtension, GetDurabilityProviderFactory). */
const BACKENDS = ["azureStorage", "mssql", "netherite", "azureManaged"];

const isPositive = ({ ms }: { readonly ms: number }) => ms > 0;

const storageProvider = z.object({
  type: z.string().default("azureStorage"),
  partitionCount: count.min(1).max(MOST_PARTITIONS).optional(),
  controlQueueBatchSize: count.min(1).max(MOST_MESSAGES).optional(),
  controlQueueBufferThreshold: count.min(1).max(1000).optional(),
  controlQueueVisibilityTimeout: timeSpan
    .refine(({ ms }) => ms <= MOST_VISIBILITY_MS, { error: "is 01:00:00 at most" })
    .optional(),
  workItemQueueVisibilityTimeout: timeSpan.optional(),
  maxQueuePollingInterval: timeSpan.refine(isPositive, { error: "is longer than 0" }).optional(),
});

const publishRetryInterval = timeSpan
  .refine((span) => isPositive(span) && span.ms <= MOST_PUBLISH_RETRY_MS, {
    error: "is longer than 0, and 01:00:00 at most",
  })
  .optional();

export const durableTask = z.object({
  hubName: z.string().min(1).optional(),
  extendedSessionsEnabled: flag.optional().catch(undefined),
  maxConcurrentActivityFunctions: count.min(1).optional(),
  maxConcurrentEntityFunctions: count.min(1).optional(),
  maxConcurrentOrchestratorFunctions: count.min(1).optional(),
  maxEntityOperationBatchSize: count.min(1).optional(),
  maxOrchestrationActions: z.coerce.number().int().optional(),
  notifications: z.object({ eventGrid: z.object({ publishRetryInterval }).optional() }).optional(),
  overridableExistingInstanceStates: z
    .string()
    .regex(/^(?:AnyState|NonRunningStates)$/i, { error: "is neither AnyState nor NonRunningStates" })
    .optional(),
  storageProvider: storageProvider.prefault({}),
});

type DurableTask = z.infer<typeof durableTask>;

/** Why Microsoft's host would find no backend. An app that builds its extensions itself may have others. */
export function backendFault(type: string, buildsExtensions: boolean): string | undefined {
  if (buildsExtensions || BACKENDS.some((known) => known.toLowerCase() === type.toLowerCase())) return undefined;
  return `"${type}" is no storage provider of the extension bundles: ${BACKENDS.join(", ")}`;
}

/** What has no effect: in Azure, or here. */
export function durableWarnings(given: DurableTask): string[] {
  const { controlQueueBatchSize: batch = 32, controlQueueBufferThreshold: most = 256 } = given.storageProvider;
  const place = "host.json: extensions.durableTask";
  const warnings: string[] = [];
  if (given.extendedSessionsEnabled) {
    warnings.push(`${place}.extendedSessionsEnabled has no effect, also in Azure: it is for .NET only`);
  }
  if (batch > most) {
    warnings.push(`${place}.storageProvider.controlQueueBatchSize is larger than controlQueueBufferThreshold`);
  }
  if (given.overridableExistingInstanceStates?.toLowerCase() === "anystate") {
    warnings.push(`${place}.overridableExistingInstanceStates has no effect here: an unfinished instance is kept`);
  }
  return warnings;
}

export function durableSettings(given: DurableTask): DurableSettings {
  return {
    storageType: given.storageProvider.type,
    maxActions: given.maxOrchestrationActions,
  };
}

export function storageOf(given: DurableTask["storageProvider"]): StorageProviderSettings {
  const {
    controlQueueVisibilityTimeout,
    workItemQueueVisibilityTimeout,
    maxQueuePollingInterval,
    type: _,
    ...counts
  } = given;
  const settings = {
    ...counts,
    controlQueueVisibilityTimeoutMs: controlQueueVisibilityTimeout?.ms,
    workItemQueueVisibilityTimeoutMs: workItemQueueVisibilityTimeout?.ms,
    maxQueuePollingIntervalMs: maxQueuePollingInterval?.ms,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
