// Sends orders at once and follows them in the store until all have ended.
import { setTimeout as sleep } from "node:timers/promises";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { measureProcessor, type ProcessorUse } from "./processor.ts";
import type { Setup } from "./setup.ts";
import { endOf, hasEnded, inWords, type Latency, latencyOf, type Tally, tallyOf } from "./tally.ts";

export interface BurstOptions {
  readonly withinMs: number;
  readonly say: (line: string) => void;
  /** Called at each look with what the store has; the next look waits for it. */
  readonly onLook?: (records: readonly StateRecord[]) => Promise<void>;
}

export interface Burst {
  readonly tally: Tally;
  /** From the first send to the last end, or to the limit. */
  readonly seconds: number;
  /** Processed ones. */
  readonly ordersPerSecond: number;
  readonly latency: Latency | undefined;
  readonly processor: ProcessorUse;
  readonly records: readonly StateRecord[];
}

const PROGRESS_EVERY_MS = 5000;
/** A look reads every record, so that many orders are looked at less often. */
const LOOK_EVERY_MS = 250;
const LOOK_MS_AN_ORDER = 8;

export async function runBurst(setup: Setup, orders: number, options: BurstOptions): Promise<Burst> {
  const { shop } = setup;
  const ids = new Set<string>();
  const measured = measureProcessor(setup);
  const begunAt = Date.now();
  const sending = shop.sendMany(orders, undefined, { onSent: (orderId) => void ids.add(orderId) });
  const [records] = await Promise.all([followed(setup, orders, ids, begunAt, options), sending]);
  const processor = measured();
  const tally = tallyOf(orders, records);
  const all = tally.ended === orders;
  const seconds = ((all ? Math.max(...records.map(endOf)) : Date.now()) - begunAt) / 1000;
  const processed = tally.states["Processed"] ?? 0;
  return { tally, seconds, ordersPerSecond: processed / seconds, latency: latencyOf(records), processor, records };
}

async function followed(
  { records: store }: Setup,
  orders: number,
  ids: ReadonlySet<string>,
  begunAt: number,
  { withinMs, say, onLook }: BurstOptions,
): Promise<readonly StateRecord[]> {
  const pauseMs = Math.max(LOOK_EVERY_MS, orders * LOOK_MS_AN_ORDER);
  for (let nextWords = PROGRESS_EVERY_MS; ; ) {
    await sleep(Math.max(0, Math.min(pauseMs, begunAt + nextWords - Date.now())));
    // The newest: in one setup a burst follows another only when that has ended.
    const found = (await store.latest(orders)).filter(({ jobId: orderId }) => ids.has(orderId));
    const tally = tallyOf(orders, found);
    const passedMs = Date.now() - begunAt;
    if (passedMs >= nextWords) {
      say(`${(passedMs / 1000).toFixed(1).padStart(7)} s  ${inWords(tally)}`);
      nextWords += PROGRESS_EVERY_MS * Math.ceil((passedMs - nextWords + 1) / PROGRESS_EVERY_MS);
    }
    await onLook?.(found);
    if (found.filter(hasEnded).length === orders || passedMs > withinMs) return found;
  }
}
