// Copies of messages that operators discarded, in one partition of the supervision container: each expires after its time.
import { createHash } from "node:crypto";
import { type Container, ErrorResponse } from "@azure/cosmos";
import type { DiscardedCopy } from "../domain/message-copy.ts";

/** The end of a page: the next one begins after it. */
export interface DiscardedPosition {
  readonly at: string;
  /** The messages of that same instant that were shown. */
  readonly shown: readonly string[];
}

/** The last discarded message first. `next` is absent on the last page. */
interface DiscardedCopies {
  readonly discarded: readonly DiscardedCopy[];
  readonly next?: DiscardedPosition;
}

/** Every method throws if the store does not answer. */
export interface DiscardedStore {
  /** @returns `too-large` if the store rejects a document of that size */
  keep(discarded: DiscardedCopy): Promise<"kept" | "too-large">;
  page(limit: number, after?: DiscardedPosition): Promise<DiscardedCopies>;
  read(id: string): Promise<DiscardedCopy | undefined>;
  remove(id: string): Promise<void>;
  /** Removes the copies that are about that job. */
  eraseOf(jobId: string): Promise<void>;
}

/** How long an operator can send it again. */
export const DISCARDED_KEPT_MS = 14 * 86_400_000;

/** No day has this name. */
const PARTITION = "discarded";
const NOT_FOUND = 404;
const TOO_LARGE = 413;

type Document = DiscardedCopy & { readonly day: string; readonly ttl: number };

/** A sequence number identifies one message of its queue. */
export function discardedId(queue: string, sequenceNumber: string): string {
  return createHash("sha256").update(queue).update("\0").update(sequenceNumber).digest("hex").slice(0, 32);
}

/** @param container its partition key is `/day`, and `/at` and `/jobId` are indexed */
export function createCosmosDiscardedStore(container: Container): DiscardedStore {
  const remove = async (id: string): Promise<void> => {
    try {
      await container.item(id, PARTITION).delete();
    } catch (cause) {
      if (statusOf(cause) !== NOT_FOUND) throw cause;
    }
  };
  return {
    async keep(discarded) {
      try {
        await container.items.upsert({ ...discarded, day: PARTITION, ttl: DISCARDED_KEPT_MS / 1000 });
        return "kept";
      } catch (cause) {
        if (statusOf(cause) === TOO_LARGE) return "too-large";
        throw cause;
      }
    },

    async page(limit, after) {
      const further = after ? " AND c.at <= @at AND NOT ARRAY_CONTAINS(@shown, c.id)" : "";
      const query = {
        query: `SELECT TOP ${limit + 1} * FROM c WHERE c.day = @day${further} ORDER BY c.at DESC`,
        parameters: [
          { name: "@day", value: PARTITION },
          ...(after ? [{ name: "@at", value: after.at }] : []),
          ...(after ? [{ name: "@shown", value: [...after.shown] }] : []),
        ],
      };
      const pages = container.items.query<Document>(query, { partitionKey: PARTITION, maxItemCount: limit + 1 });
      const found = (await pages.fetchAll()).resources;
      const discarded = found.slice(0, limit).map(plain);
      const last = discarded.at(-1);
      if (found.length <= limit || !last) return { discarded };
      const here = discarded.filter(({ at }) => at === last.at).map(({ id }) => id);
      const before = after?.at === last.at ? after.shown : [];
      return { discarded, next: { at: last.at, shown: [...before, ...here] } };
    },

    async read(id) {
      const { resource } = await container.item(id, PARTITION).read<Document>();
      return resource && plain(resource);
    },

    remove,

    async eraseOf(jobId) {
      const query = {
        query: "SELECT VALUE c.id FROM c WHERE c.day = @day AND c.jobId = @jobId",
        parameters: [
          { name: "@day", value: PARTITION },
          { name: "@jobId", value: jobId },
        ],
      };
      const found = container.items.query<string>(query, { partitionKey: PARTITION });
      for (const id of (await found.fetchAll()).resources) await remove(id);
    },
  };
}

function statusOf(cause: unknown): unknown {
  return cause instanceof ErrorResponse ? cause.code : undefined;
}

function plain({ id, queue, at, by, why, keptUntil, jobId, copy }: Document): DiscardedCopy {
  return { id, queue, at, by, why, keptUntil, jobId, copy };
}
