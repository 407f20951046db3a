// What people read of the supervision, on Azure: who holds the lease, and the audit log.
import type { Database } from "@azure/cosmos";
import {
  LEASE_BLOB,
  LEASE_CONTAINER,
  type SupervisionSettings,
} from "@scheduler-agent-supervisor/core/internal/supervisor/connect";
import { createSupervisionReader, type SupervisionReader } from "./read-supervision.ts";

/** For a reader that does not take part in the leadership. */
export function connectSupervisionReader(
  {
    blobs,
    supervisionContainer,
    auditContainer,
  }: Pick<SupervisionSettings, "blobs" | "supervisionContainer" | "auditContainer">,
  database: Pick<Database, "container">,
): SupervisionReader {
  const lease = blobs.getContainerClient(LEASE_CONTAINER).getBlobClient(LEASE_BLOB);
  return createSupervisionReader(lease, {
    supervision: database.container(supervisionContainer),
    audit: database.container(auditContainer),
  });
}
