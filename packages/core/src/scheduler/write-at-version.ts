// A write that depends on the whole record: made at the version that was read, and decided again whenever another writer was faster.
import type { StateRecord } from "../domain/record/state-record.ts";
import type { Versioned, Written } from "../store/job-store.ts";
import type { Ports } from "./ports.ts";

type WrittenAfter =
  | (Extract<Written, { kind: "written" }> & { readonly before: StateRecord })
  | Extract<Written, { kind: "rejected" }>;

/**
 * Tries again as often as another writer is faster: each of their writes is progress. That there is nothing to write is final, so it is decided
 * on a record that can't be stale.
 * @param next the changed record; undefined if there is nothing to write
 */
export async function writeAtVersion(
  jobId: string,
  { store }: Pick<Ports, "store">,
  next: (record: StateRecord) => StateRecord | undefined,
): Promise<WrittenAfter> {
  let read = await store.state(jobId);
  let isSure = false;
  for (;;) {
    const changed: StateRecord | undefined = read && next(read.record);
    if (read && changed) {
      const written: Written = await store.replace(read as Versioned, changed);
      if (written.kind === "written") return { ...written, before: read.record };
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
