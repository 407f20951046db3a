// The leadership among supervisors as the lease of one blob (P12): it expires by itself if its holder crashes.
import { randomUUID } from "node:crypto";
import { type BlobLeaseClient, type ContainerClient, RestError } from "@azure/storage-blob";
import { type Election, type Leadership, LeadershipUnavailable } from "./leadership.ts";

export interface BlobLease {
  /** Created if absent. */
  readonly container: ContainerClient;
  readonly blobName: string;
  /** 15 to 60 s: the service accepts no other value. */
  readonly leaseMs: number;
  /** The name of this supervisor for others. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The lease is renewed after this part of it: two more tries fit into the rest. */
const RENEW_AFTER = 1 / 3;

/** Metadata have 8 KB in total, and a character may become nine. */
const FAULT_LIMIT = 300;

const NOT_FOUND = 404;
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;

/** The known lease, counted from before the request: the service's own end of it can only be later. */
interface Held {
  readonly epoch: number;
  readonly since: number;
}

export function createBlobLeadership({ container, blobName, leaseMs, name, now }: BlobLease): Leadership {
  const blob = container.getBlockBlobClient(blobName);
  // One id for this process: a request for a lease that already has it renews the lease.
  const holder = randomUUID();
  const lease: BlobLeaseClient = blob.getBlobLeaseClient(holder);
  const conditions = { leaseId: holder };
  let held: Held | undefined;
  /** What the blob says of the last sweep. A new leader's has nothing. */
  let reported: string | null = null;

  async function takeLease(): Promise<boolean> {
    try {
      await lease.acquireLease(leaseMs / 1000);
      return true;
    } catch (cause) {
      if (statusOf(cause) === CONFLICT) return false;
      if (statusOf(cause) !== NOT_FOUND) throw cause;
    }
    await makeBlob();
    return takeLease();
  }

  async function makeBlob(): Promise<void> {
    await container.createIfNotExists();
    try {
      await blob.upload("", 0, { conditions: { ifNoneMatch: "*" }, metadata: metadataOf(0, "", "", "") });
    } catch (cause) {
      // Another supervisor created it, and may hold it already.
      if (statusOf(cause) !== CONFLICT && statusOf(cause) !== PRECONDITION_FAILED) throw cause;
    }
  }

  /** The epoch is raised under the lease: a holder that lost it in the meantime is rejected, and no two holders have the same epoch. */
  async function epochOfHolder(): Promise<number> {
    const { metadata = {} } = await blob.getProperties();
    const epoch = Number(metadata["epoch"] ?? 0);
    if (metadata["holder"] === holder) return epoch;
    await blob.setMetadata(metadataOf(epoch + 1, holder, name, new Date(now()).toISOString()), { conditions });
    reported = null;
    return epoch + 1;
  }

  async function following(): Promise<Election> {
    const { metadata } = await blob.getProperties();
    const leader = metadata?.["leader"];
    return { kind: "following", ...(leader ? { leader: decodeURIComponent(leader) } : {}) };
  }

  /** False if another supervisor holds the lease now. */
  async function renew(epoch: number): Promise<boolean> {
    const since = now();
    try {
      await lease.renewLease();
    } catch (cause) {
      if (isRejection(cause)) return false;
      throw cause;
    }
    held = { epoch, since };
    return true;
  }

  return {
    async lead() {
      const since = now();
      try {
        if (await takeLease()) {
          // If the lease never ended, its known values need no read.
          const epoch = held && since < held.since + leaseMs ? held.epoch : await epochOfHolder();
          held = { epoch, since };
          return { kind: "leading", epoch, leader: name };
        }
        held = undefined;
        return await following();
      } catch (cause) {
        held = undefined;
        // Another supervisor took it between two of these requests.
        if (isRejection(cause)) return { kind: "following" };
        throw new LeadershipUnavailable(cause);
      }
    },

    async stillLeads() {
      if (!held) return false;
      const { epoch, since } = held;
      if (now() < since + leaseMs * RENEW_AFTER) return true;
      try {
        if (await renew(epoch)) return true;
      } catch {
        // The storage gives no answer: this supervisor holds the lease for the rest of its time, and not longer.
        if (now() < since + leaseMs) return true;
      }
      held = undefined;
      return false;
    },

    async report(fault) {
      if (!held || (fault === null) === (reported === null)) return;
      try {
        const { metadata = {} } = await blob.getProperties();
        const { fault: _before, failing: _since, ...rest } = metadata;
        const failing = new Date(now()).toISOString();
        const sweeps =
          fault === null ? {} : { failing, fault: encodeURIComponent(fault.slice(0, FAULT_LIMIT).toWellFormed()) };
        await blob.setMetadata({ ...rest, ...sweeps }, { conditions });
        reported = fault;
      } catch {
        // Another supervisor leads now, or the storage gives no answer.
      }
    },

    async release() {
      if (!held) return;
      held = undefined;
      try {
        await lease.releaseLease();
      } catch (cause) {
        if (!isRejection(cause)) throw new LeadershipUnavailable(cause);
      }
    },
  };
}

/** Metadata are HTTP headers: ASCII only. */
function metadataOf(epoch: number, holder: string, leader: string, since: string): Record<string, string> {
  return { epoch: String(epoch), ...(holder && { holder, leader: encodeURIComponent(leader), since }) };
}

function statusOf(cause: unknown): number | undefined {
  return cause instanceof RestError ? cause.statusCode : undefined;
}

/** Another supervisor holds the lease, or it was broken. */
function isRejection(cause: unknown): boolean {
  return statusOf(cause) === CONFLICT || statusOf(cause) === PRECONDITION_FAILED;
}
