// How many jobs arrived and were completed in each two minutes of the last hour: counted from the index alone, and what is over is counted once.
import type { Container } from "@azure/cosmos";

export interface HourCounts {
  /** The begin of the first slot. */
  readonly from: string;
  readonly slotMs: number;
  /** One number for each slot, the oldest first; the last slot is not over yet. */
  readonly received: readonly number[];
  readonly processed: readonly number[];
}

/** @param at milliseconds. Throws if the store does not answer. */
export type ReadHourCounts = (at: number) => Promise<HourCounts>;

export const SLOT_MS = 120_000;
const SLOTS = 30;
/** A write of a process whose clock differs a little can still come into a slot that is over. */
const SETTLED_MS = 60_000;
const SIDE_BY_SIDE = 6;

/**
 * @param container its index has `createdAt`, `overAt` and `keptUntil`
 * @param closedFor the lifetime of documents, if jobs are closed in the write that completes them
 */
export function createHourCounts(container: Container, closedFor: number | undefined): ReadHourCounts {
  const settled = { received: new Map<number, number>(), processed: new Map<number, number>() };

  async function count(path: string, from: number): Promise<number> {
    const query = {
      query: `SELECT VALUE COUNT(1) FROM c WHERE ${path} >= @from AND ${path} < @to`,
      parameters: [
        { name: "@from", value: new Date(from).toISOString() },
        { name: "@to", value: new Date(from + SLOT_MS).toISOString() },
      ],
    };
    return (await container.items.query<number>(query).fetchAll()).resources[0] ?? 0;
  }

  async function countIn(kind: keyof typeof settled, from: number, at: number): Promise<number> {
    const known = settled[kind].get(from);
    if (known !== undefined) return known;
    const [path, later] =
      kind === "received" ? ["c.createdAt", 0] : closedFor === undefined ? ["c.overAt", 0] : ["c.keptUntil", closedFor];
    const found = await count(String(path), from + Number(later));
    if (from + SLOT_MS + SETTLED_MS <= at) settled[kind].set(from, found);
    return found;
  }

  return async (at) => {
    const last = Math.floor(at / SLOT_MS) * SLOT_MS;
    const slots = Array.from({ length: SLOTS }, (_, slot) => last - (SLOTS - 1 - slot) * SLOT_MS);
    const [first = last] = slots;
    for (const counts of Object.values(settled))
      for (const slot of counts.keys()) if (slot < first) counts.delete(slot);
    const counted = { received: [] as number[], processed: [] as number[] };
    for (let from = 0; from < slots.length; from += SIDE_BY_SIDE) {
      const some = slots.slice(from, from + SIDE_BY_SIDE);
      const [received, processed] = await Promise.all([
        Promise.all(some.map((slot) => countIn("received", slot, at))),
        Promise.all(some.map((slot) => countIn("processed", slot, at))),
      ]);
      counted.received.push(...received);
      counted.processed.push(...processed);
    }
    return { from: new Date(first).toISOString(), slotMs: SLOT_MS, ...counted };
  };
}
