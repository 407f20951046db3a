// What stands where, for the gauges: orders by state, what is overdue, how long messages wait.
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadQueueAges } from "../messaging/queue-ages.ts";
import type { TakeCensus } from "../store/order-census.ts";
import { isMeasured, measure } from "../telemetry/metrics.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

export interface StockPorts extends Pick<Ports, "now" | "timing"> {
  readonly census: TakeCensus;
  readonly queueAges: ReadQueueAges;
}

/** Longer than any answer takes of a store and a bus that work. */
const STOCK_LIMIT_MS = 10_000;

/** Never throws: each part that could not be counted is an event, and its gauges say nothing until they expire. */
export async function takeStock(ports: StockPorts, telemetry: Telemetry): Promise<void> {
  if (!isMeasured()) return;
  await Promise.all([
    counted("orders", () => countOrders(ports), telemetry),
    counted("queues", () => readQueues(ports), telemetry),
  ]);
}

async function countOrders({ census, now, timing }: StockPorts): Promise<void> {
  const { states, overdue } = await census(instant(now() - timing.clockSkewMs));
  for (const { state, kind, orders } of states) measure("orders.by_state", orders, { state, kind });
  measure("orders.overdue", overdue);
}

async function readQueues({ queueAges, now }: StockPorts): Promise<void> {
  for (const { queue, ms } of await queueAges(now())) measure("queues.oldest_message_age", ms / 1000, { queue });
}

async function counted(what: string, count: () => Promise<void>, telemetry: Telemetry): Promise<void> {
  const limit = new AbortController();
  try {
    await Promise.race([count(), timeout(limit.signal)]);
  } catch (cause) {
    telemetry.event("StockUncounted", { what, cause: String(cause) });
  } finally {
    limit.abort();
  }
}

async function timeout(signal: AbortSignal): Promise<never> {
  // Aborted once it no longer matters: then nobody waits for this any more.
  await sleep(STOCK_LIMIT_MS, undefined, { signal, ref: false });
  throw new Error(`no answer within ${STOCK_LIMIT_MS} ms`);
}
