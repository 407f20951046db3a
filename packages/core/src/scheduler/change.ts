// One way in which a record changes (P4): decided on what is known of it, and written if that is still so. Whoever loses a race decides again.

import { type Unread, writeOf } from "../domain/record/difference.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import type { Versioned } from "../store/job-store.ts";
import type { Ports } from "./ports.ts";

/** A change that was made, with the stored record. */
export interface Made extends Versioned {
  /** What it was decided on, and what was decided: only the difference is written, so the stored record may have more. */
  readonly before: StateRecord;
  readonly after: StateRecord;
}

export type Changed = ({ readonly kind: "written" } & Made) | { readonly kind: "rejected" };

type Stores = Pick<Ports, "store">;

/**
 * Tries what is decided without a read, in its sequence; then at the version that is read, as often as another writer is faster: each of their writes
 * is progress. That there is nothing to write is final, so it is decided on a record that can't be stale.
 * @param decide the changed record; undefined if there is nothing to write
 */
export async function change(
  jobId: string,
  decide: (record: StateRecord) => StateRecord | undefined,
  { store }: Stores,
  unread: readonly Unread[] = [],
): Promise<Changed> {
  for (const known of unread) {
    const written = await writeUnread(jobId, known, { store });
    if (written.kind === "written") return written;
  }
  let read = await store.state(jobId);
  let isSure = false;
  for (;;) {
    const after: StateRecord | undefined = read && decide(read.record);
    if (read && after) {
      const before: StateRecord = read.record;
      const written = await store.replace(read, after);
      if (written.kind === "written") return { ...written, before, after };
      // A rejection shows this process what is newest.
      read = await store.state(jobId);
      isSure = true;
    } else if (isSure) return { kind: "rejected" };
    else {
      read = await store.latest(jobId);
      isSure = true;
    }
  }
}

/** Rejected too if it takes more than one write can change. */
export async function writeUnread(jobId: string, unread: Unread, { store }: Stores): Promise<Changed> {
  const { before, after } = unread;
  const write = writeOf(unread);
  if (!write) return { kind: "rejected" };
  const written = await store.change(jobId, write);
  return written.kind === "written" ? { ...written, before, after } : written;
}
