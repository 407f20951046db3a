// How many jobs arrived and were completed in each two minutes of the last hour: counted from the index alone, and what is over is counted once.
import type { Container } from "@azure/cosmos";

/** Of two minutes. */
export interface SlotCount {
  /** The begin of the slot. */
  readonly from: string;
  readonly received: number;
  readonly processed: number;
}

/** What somebody has counted before is not counted again. Each method throws if the store does not answer. */
export interface HourCounts {
  readonly slotMs: number;
  /**
   * The slots of the last hour, the oldest first; the last one is not over yet.
   * @param at milliseconds
   */
  all(at: number, known: readonly SlotCount[]): Promise<readonly SlotCount[]>;
  /** Those of them that no write can still come into. */
  settled(at: number, known: readonly SlotCount[]): Promise<readonly SlotCount[]>;
}

const SLOT_MS = 120_000;
const SLOTS = 30;
/** A write of a process whose clock differs a little can still come into a slot that is over. */
const SETTLED_MS = 60_000;
const SIDE_BY_SIDE = 6;

/**
 * @param container its index has `createdAt`, `overAt` and `keptUntil`
 * @param closedFor the lifetime of documents, if jobs are closed in the write that completes them
 */
export function createHourCounts(container: Container, closedFor: number | undefined): HourCounts {
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

  async function countedFrom(begins: readonly number[], known: readonly SlotCount[]): Promise<SlotCount[]> {
    const counted = new Map([...known.map((slot): [string, SlotCount] => [slot.from, slot]), ...remembered]);
    const slots: SlotCount[] = [];
    for (let from = 0; from < begins.length; from += SIDE_BY_SIDE) {
      const some = begins.slice(from, from + SIDE_BY_SIDE);
      const found = some.map((begin) => counted.get(new Date(begin).toISOString()) ?? slotFrom(begin));
      slots.push(...(await Promise.all(found)));
    }
    return slots;
  }

  async function settled(at: number, known: readonly SlotCount[]): Promise<SlotCount[]> {
    const slots = await countedFrom(
      beginsAt(at).filter((begin) => isSettled(begin, at)),
      known,
    );
    remembered = new Map(slots.map((slot) => [slot.from, slot]));
    return slots;
  }

  return {
    slotMs: SLOT_MS,
    settled,
    all: async (at, known) => {
      const before = await settled(at, known);
      const others = beginsAt(at).filter((begin) => !isSettled(begin, at));
      return [...before, ...(await countedFrom(others, known))];
    },
  };
}

function beginsAt(at: number): number[] {
  const last = Math.floor(at / SLOT_MS) * SLOT_MS;
  return Array.from({ length: SLOTS }, (_, slot) => last - (SLOTS - 1 - slot) * SLOT_MS);
}

const isSettled = (begin: number, at: number): boolean => begin + SLOT_MS + SETTLED_MS <= at;
