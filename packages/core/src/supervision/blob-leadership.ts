// The lead among supervisors as the lease of one blob (P12): it ends by itself when its holder dies.
import { randomUUID } from "node:crypto";
import { type BlobLeaseClient, type ContainerClient, RestError } from "@azure/storage-blob";
import { type Leadership, LeadershipUnavailable, type Standing } from "./leadership.ts";

export interface BlobLease {
  /** Made if absent. */
  readonly container: ContainerClient;
  readonly blobName: string;
  /** 15 to 60 s: the service takes no other. */
  readonly leaseMs: number;
  /** How others read who leads. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The lease is lengthened once this part of it is over: two more tries fit into the rest. */
const RENEW_AFTER = 1 / 3;

const NOT_FOUND = 404;
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;

/** A lease as we know it, counted from before the request: the service's own end of it can only be later. */
interface Held {
  readonly epoch: number;
  readonly since: number;
}

export function createBlobLeadership({ container, blobName, leaseMs, name, now }: BlobLease): Leadership {
  const blob = container.getBlockBlobClient(blobName);
  // One id for this process: asking for a lease that has it already renews it.
  const holder = randomUUID();
  const lease: BlobLeaseClient = blob.getBlobLeaseClient(holder);
  const conditions = { leaseId: holder };
  let held: Held | undefined;

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
      // Another supervisor made it, and may hold it already.
      if (statusOf(cause) !== CONFLICT && statusOf(cause) !== PRECONDITION_FAILED) throw cause;
    }
  }

  /** The epoch is raised under the lease: one that lost it meanwhile is rejected, and no two holders have the same. */
  async function epochOfHolder(): Promise<number> {
    const { metadata = {} } = await blob.getProperties();
    const epoch = Number(metadata["epoch"] ?? 0);
    if (metadata["holder"] === holder) return epoch;
    await blob.setMetadata(metadataOf(epoch + 1, holder, name, new Date(now()).toISOString()), { conditions });
    return epoch + 1;
  }

  async function following(): Promise<Standing> {
    const { metadata } = await blob.getProperties();
    const leader = metadata?.["leader"];
    return { kind: "following", ...(leader ? { leader: decodeURIComponent(leader) } : {}) };
  }

  /** False where the lease is another's now. */
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
          // What is known of a lease that never ended needs no reading.
          const epoch = held && since < held.since + leaseMs ? held.epoch : await epochOfHolder();
          held = { epoch, since };
          return { kind: "leading", epoch, leader: name };
        }
        held = undefined;
        return await following();
      } catch (cause) {
        held = undefined;
        // Taken by another between two of our requests.
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
        // The storage gives no answer: the lease is ours for the rest of its time, and not for longer.
        if (now() < since + leaseMs) return true;
      }
      held = undefined;
      return false;
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

/** The lease is another's, or was broken. */
function isRejection(cause: unknown): boolean {
  return statusOf(cause) === CONFLICT || statusOf(cause) === PRECONDITION_FAILED;
}
