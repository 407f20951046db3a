// The supervisor's own ports on Azure: the leadership as a blob's lease, the audit log in a container.
import { randomUUID } from "node:crypto";
import type { Database } from "@azure/cosmos";
import type { BlobServiceClient } from "@azure/storage-blob";
import { sleep } from "../domain/timer.ts";
import type { AuditLog } from "../store/audit-log.ts";
import { CONTAINERS } from "../store/containers.ts";
import { createCosmosAuditLog } from "../store/cosmos-audit-log.ts";
import { createBlobLeadership } from "./blob-leadership.ts";
import type { Leadership } from "./leadership.ts";
import { spareIdleSweeps } from "./spare-idle-sweeps.ts";

export interface SupervisionSettings {
  /** All supervisors of one store must share the account. */
  readonly blobs: BlobServiceClient;
  /** The app's host name, if there is one: it shows others which supervisor is the leader. */
  readonly hostName: string | undefined;
}

export interface Supervision {
  readonly leadership: Leadership;
  readonly supervision: AuditLog;
  readonly pause: (ms: number) => Promise<void>;
}

export const LEASE_CONTAINER = "supervisor";
export const LEASE_BLOB = "leader";
/** How long a crashed supervisor is still the leader: the shortest lease that a blob can have. */
const LEASE_MS = 15_000;
/** All tries of a renewal must fit into the rest of the lease. */
export const STORAGE_RETRY = {
  maxTries: 3,
  tryTimeoutInMs: 2500,
  retryDelayInMs: 200,
  maxRetryDelayInMs: 1000,
} as const;

export function connectSupervision(settings: SupervisionSettings, database: Pick<Database, "container">): Supervision {
  const auditLog = createCosmosAuditLog({
    supervision: database.container(CONTAINERS.supervision),
    audit: database.container(CONTAINERS.audit),
  });
  return {
    leadership: createBlobLeadership({
      container: settings.blobs.getContainerClient(LEASE_CONTAINER),
      blobName: LEASE_BLOB,
      leaseMs: LEASE_MS,
      // A process that restarts under its old name is still a new holder.
      name: `${settings.hostName ?? "supervisor"}/${process.pid}-${randomUUID().slice(0, 4)}`,
      now: Date.now,
    }),
    supervision: spareIdleSweeps(auditLog),
    pause: sleep,
  };
}
