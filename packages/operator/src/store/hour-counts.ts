// How many jobs arrived and were completed in each two minutes of the last hour: counted from the index alone, and what is over is counted once.
import type { Container } from "@azure/cosmos";

/** Of two minutes. */
export interface SlotCount {
  /** The begin of the slot. */
  readonly from: string;
  readonly received: number;
  readonly processed: number;
}

export interface HourCounts {
  readonly slotMs: number;
  /** The oldest first; the last one is not over yet. */
  readonly slots: readonly SlotCount[];
  /** Those that no write can still come into. */
  readonly settled: readonly SlotCount[];
}

/**
 * @param at milliseconds
 * @param known what somebody has counted before. Throws if the store does not answer
 */
export type ReadHourCounts = (at: number, known: readonly SlotCount[]) => Promise<HourCounts>;

const SLOT_MS = 120_000;
const SLOTS = 30;
/** A write of a process whose clock differs a little can still come into a slot that is over. */
const SETTLED_MS = 60_000;
const SIDE_BY_SIDE = 6;

/**
 * @param container its index has `createdAt`, `overAt` and `keptUntil`
 * @param closedFor the lifetime of documents, if jobs are closed in the write that completes them
 */
export function createHourCounts(container: Container, closedFor: number | undefined): ReadHourCounts {
  let remembered: ReadonlyMap<string, SlotCount> = new Map();

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

  async function slotFrom(from: number): Promise<SlotCount> {
    const [received, processed] = await Promise.all([
      count("c.createdAt", from),
      closedFor === undefined ? count("c.overAt", from) : count("c.keptUntil", from + closedFor),
    ]);
    return { from: new Date(from).toISOString(), received, processed };
  }

  return async (at, known) => {
    const last = Math.floor(at / SLOT_MS) * SLOT_MS;
    const begins = Array.from({ length: SLOTS }, (_, slot) => last - (SLOTS - 1 - slot) * SLOT_MS);
    const counted = new Map([...known.map((slot): [string, SlotCount] => [slot.from, slot]), ...remembered]);
    const slots: SlotCount[] = [];
    for (let from = 0; from < begins.length; from += SIDE_BY_SIDE) {
      const some = begins.slice(from, from + SIDE_BY_SIDE);
      const found = some.map((begin) => counted.get(new Date(begin).toISOString()) ?? slotFrom(begin));
      slots.push(...(await Promise.all(found)));
    }
    const settled = slots.filter((slot) => Date.parse(slot.from) + SLOT_MS + SETTLED_MS <= at);
    remembered = new Map(settled.map((slot) => [slot.from, slot]));
    return { slotMs: SLOT_MS, slots, settled };
  };
}
