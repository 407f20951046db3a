// Claims and notes of operators, all in one partition of the supervision container: one query reads them all, and they expire after the
// container's time.
import { createHash } from "node:crypto";
import { type Container, ErrorResponse } from "@azure/cosmos";
import type { HANDLED, Handling } from "../domain/handling.ts";
import { type ListPosition, pageOf } from "../domain/list-page.ts";
import { furtherThan } from "./further-than.ts";

export interface HandlingTarget {
  readonly kind: (typeof HANDLED)[number];
  readonly id: string;
}

export interface StoredHandling extends Handling {
  readonly target: HandlingTarget;
  /** The jobs of a group at its last change: its notes are found by them if the group's id has changed. */
  readonly jobIds: readonly string[];
  /** The time of the last change. */
  readonly at: string;
}

export type ReadHandling = StoredHandling & { readonly etag: string };

/** Every method throws if the store does not answer. */
export interface HandlingStore {
  /** The last changed first. @param after the end of the page before */
  latest(
    limit: number,
    after?: ListPosition,
  ): Promise<{ readonly handlings: readonly ReadHandling[]; readonly next?: ListPosition }>;
  read(target: HandlingTarget): Promise<ReadHandling | undefined>;
  /**
   * @param etag the version that was read; undefined if there was none
   * @returns undefined if another writer has changed it since
   */
  write(handling: StoredHandling, etag: string | undefined): Promise<ReadHandling | undefined>;
}

/** No day has this name. */
const PARTITION = "handling";
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;

type Document = StoredHandling & { readonly id: string; readonly day: string; readonly _etag: string };

/** @param container its partition key is `/day`, and `/at` is indexed */
export function createCosmosHandlingStore(container: Container): HandlingStore {
  return {
    async latest(limit, after) {
      const further = furtherThan(after);
      const query = {
        query: `SELECT TOP ${limit + 1} * FROM c WHERE c.day = @day${further.condition} ORDER BY c.at DESC`,
        parameters: [{ name: "@day", value: PARTITION }, ...further.parameters],
      };
      const asked = { partitionKey: PARTITION, maxItemCount: limit + 1 };
      const found = await container.items.query<Document>(query, asked).fetchAll();
      const { entries, next } = pageOf(found.resources, limit, after);
      return { handlings: entries.map(plain), ...(next && { next }) };
    },

    async read(target) {
      const { resource } = await container.item(idOf(target), PARTITION).read<Document>();
      return resource && plain(resource);
    },

    async write(handling, etag) {
      const document = { ...handling, id: idOf(handling.target), day: PARTITION };
      try {
        if (etag === undefined) {
          const created = await container.items.create(document);
          return { ...handling, etag: created.etag };
        }
        const accessCondition = { type: "IfMatch", condition: etag };
        const replaced = await container.item(document.id, PARTITION).replace(document, { accessCondition });
        return { ...handling, etag: replaced.etag };
      } catch (cause) {
        if (cause instanceof ErrorResponse && (cause.code === CONFLICT || cause.code === PRECONDITION_FAILED)) return;
        throw cause;
      }
    },
  };
}

/** A job's id may contain characters that a document's id may not. */
function idOf({ kind, id }: HandlingTarget): string {
  return `${kind}-${createHash("sha256").update(id).digest("hex")}`;
}

function plain({ target, claim, notes, jobIds, at, _etag: etag }: Document): ReadHandling {
  return { target, claim, notes, jobIds, at, etag };
}
