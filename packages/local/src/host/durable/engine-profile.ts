// The engines that the host can run, and every number of the one that behaves like Microsoft's Durable on Azure Storage, each with its
// source. "Measured": host 4.1037, Durable extension 2.13.7, Node worker, Azurite, two shared cores, an order of 6 activities.

/** `fast` does at once what it can; `azure-storage` takes the time, and keeps the order, of queues and tables. */
export const ENGINES = ["fast", "azure-storage"] as const;
export type EngineName = (typeof ENGINES)[number];

/** What host.json sets under `extensions.durableTask.storageProvider`. */
export interface StorageProviderSettings {
  readonly partitionCount?: number;
  readonly controlQueueBatchSize?: number;
  readonly controlQueueBufferThreshold?: number;
  readonly controlQueueVisibilityTimeoutMs?: number;
  readonly workItemQueueVisibilityTimeoutMs?: number;
  readonly maxQueuePollingIntervalMs?: number;
}

export interface AzureStorageProfile extends Required<StorageProviderSettings> {
  readonly requestMs: number;
  readonly requestsAtOnce: number;
  readonly minQueuePollingIntervalMs: number;
  readonly pollingJitter: number;
  readonly pauseMs: number;
  readonly startDeferredMs: number;
  readonly renewEveryMs: number;
  readonly timerGranularityMs: number;
  readonly maxActivities: number;
  readonly maxTurns: number;
}

export const AZURE_STORAGE: AzureStorageProfile = {
  // Measured: 94 to 103 storage requests an order and 7.6 to 8 orders a second in all, so 710 to 820 requests a second; an order alone takes
  // 160 ms. Two at a time of 2.7 ms each give both: the rate is that of two cores, which host, worker and storage share.
  requestMs: 2.7,
  requestsAtOnce: 2,

  // AzureStorageOptions: the defaults of host.json.
  partitionCount: 4,
  controlQueueBatchSize: 32,
  controlQueueBufferThreshold: 256,
  controlQueueVisibilityTimeoutMs: 5 * 60_000,
  workItemQueueVisibilityTimeoutMs: 5 * 60_000,
  maxQueuePollingIntervalMs: 30_000,

  // TaskHubQueue: the shortest interval. BackoffPollingHelper: it doubles from there, each time by 20 % more or less.
  minQueuePollingIntervalMs: 50,
  pollingJitter: 0.2,
  // ControlQueue: "Pause dequeuing if the total number of locked messages gets too high."
  pauseMs: 1000,

  // Measured: after a pause the first order's claim comes 3.6 to 4.6 s late where the longest interval is 5 s. A start that is dequeued before
  // its row in the instances table is written is put back for 2 s (OrchestrationSessionManager, DedupeExecutionStartedMessagesAsync;
  // TaskHubQueue, AbandonMessageAsync), and found by the poll after that, the one at 3.5 s. It is a race: in other runs twelve starts
  // after pauses of 20 to 200 s were not put back, and 5 of 200 in a burst were. Here the first after a pause always is.
  startDeferredMs: 2000,

  // TaskActivityDispatcher, RenewUntil: an activity's message is renewed every 30 s at the latest.
  renewEveryMs: 30_000,
  // Measured: timers fire up to 0.87 s early. A queue message becomes visible after whole seconds.
  timerGranularityMs: 1000,

  // AzureStorageDurabilityProviderFactory: ten for each core where host.json says nothing.
  maxActivities: 20,
  maxTurns: 20,
};

/** How many activities run at one time where host.json says nothing. */
export const MAX_ACTIVITIES: Readonly<Record<EngineName, number>> = {
  fast: 64,
  "azure-storage": AZURE_STORAGE.maxActivities,
};

/** Storage requests of each thing that the engine does, by the sources of DurableTask.AzureStorage 1.17.5. */
export const REQUESTS = {
  /** Each poll of a queue, found or not. */
  dequeue: 1,
  /** The look into the instances table before a start is believed. */
  checkStart: 1,
  /** Before a turn: its history. */
  readHistory: 1,
  /** Each message that a turn sends, or an activity's answer. */
  send: 1,
  /** After a turn: the history's batch, and the instance's row. */
  writeHistory: 2,
  /** Each message that was worked off. */
  remove: 1,
  /** Making a message visible later, or renewing it. */
  update: 1,
} as const;

/** What a call of the client costs before it is answered: AzureStorageOrchestrationService and AzureTableTrackingStore. */
export const CLIENT_REQUESTS: readonly (readonly [method: string, path: RegExp, requests: number])[] = [
  // Is it there? The message; the instance's row.
  ["POST", /^orchestrators\//i, 3],
  // Is it there? The message.
  ["POST", /^instances\//i, 2],
  ["GET", /^instances\//i, 1],
  ["GET", /^instances$/i, 1],
  // The history, its batch of removals, the instance's row.
  ["DELETE", /^instances\//i, 3],
];

/** The profile with what host.json says. */
export function azureStorageProfile(given: StorageProviderSettings = {}): AzureStorageProfile {
  const profile = { ...AZURE_STORAGE, ...given };
  // Tests make the visibility short, and renewing follows.
  const renewEveryMs = Math.min(profile.renewEveryMs, profile.workItemQueueVisibilityTimeoutMs / 2);
  return { ...profile, renewEveryMs };
}
