// What this host is like: one order alone, a burst when it is warm, the first step after a pause, and what an order costs.
import { setTimeout as sleep } from "node:timers/promises";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { type Burst, runBurst } from "./burst.ts";
import {
  type ActivityFigures,
  type ActivityRun,
  distributionOf,
  EngineLog,
  figuresOf,
  type Moment,
  momentsOf,
} from "./engine-log.ts";
import type { ProcessorUse } from "./processor.ts";
import type { Setup } from "./setup.ts";
import { lessOf, type StorageCounts, StorageLog, total } from "./storage-log.ts";
import { type Latency, type Tally, timeOf } from "./tally.ts";

export interface Figures {
  /** Orders one after the other, the median. */
  readonly aloneMs: number;
  readonly burst: {
    readonly orders: number;
    readonly seconds: number;
    readonly ordersPerSecond: number;
    readonly tally: Tally;
    readonly latency: Latency | undefined;
    readonly processor: ProcessorUse;
  };
  /** CPU time an order in ms, in the burst. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** From the order's arrival in its queue to its first step, after nothing was done for a while: each time that it was tried. */
  readonly firstStepMs: readonly number[];
  /** Requests to storage, where the host's engine is on it. */
  readonly storage: StorageFigures | undefined;
  /** Of the burst, where the host's console says so. */
  readonly activities: readonly ActivityFigures[];
  readonly moments: readonly Moment[];
  readonly firstStepsBeforeSecond: number | undefined;
}

interface StorageFigures {
  /** Of one order alone, with its timers, less what an idle host asks for. Most of the gets are polling. */
  readonly alone: Readonly<Record<string, number>>;
  /** Of an order in the burst, retries and all. */
  readonly burst: Readonly<Record<string, number>>;
  readonly idlePerSecond: number;
}

const WARM_UP_ORDERS = 20;
const ALONE = 5;
const BURST = 100;
const IDLE_MS = 25_000;
const IDLE_TIMES = 2;
/** The timers of steps that are done come up until then: the longest complete-by of a sample step, and some. */
const TIMERS_MS = 13_000;
const MOMENTS = 25;
const FIRST_STEP = "inventoryAgent";

/** Takes what the host and storage say; a setup is started with it. */
export class Listener {
  readonly engine = new EngineLog();
  readonly storage = new StorageLog();

  onHostLine = (line: string): void => this.engine.take(line, Date.now());
  onStorageRequest = (line: string): void => this.storage.take(line);
}

export async function runFigures(
  setup: Setup,
  listener: Listener,
  withinMs: number,
  say: (line: string) => void,
): Promise<Figures> {
  const quiet = { withinMs, say: () => undefined };
  say(`${WARM_UP_ORDERS} orders to warm up`);
  await runBurst(setup, WARM_UP_ORDERS, quiet);
  await sleep(TIMERS_MS);
  const countAlone = counting(listener.storage);
  say(`${ALONE} orders, one after the other`);
  const alone: number[] = [];
  for (let time = 0; time < ALONE; time += 1) alone.push(...times((await runBurst(setup, 1, quiet)).records));

  await sleep(TIMERS_MS);
  const requestsAlone = countAlone();
  const { idlePerSecond, firstStepMs } = await runIdle(setup, listener, quiet, say);

  say(`${BURST} orders at once`);
  const countBurst = counting(listener.storage);
  const burst = await runBurst(setup, BURST, { withinMs, say });
  await sleep(TIMERS_MS);
  const requestsInBurst = countBurst();
  const runs = listener.engine.runs(commonPrefix(burst.records));
  return {
    aloneMs: distributionOf(alone).p50,
    burst: summaryOf(burst),
    cpuMs: Object.fromEntries(Object.entries(burst.processor.cpuMs).map(([name, ms]) => [name, ms / BURST])),
    firstStepMs,
    storage:
      runs.length > 0
        ? {
            alone: perOrder(requestsAlone, ALONE, idlePerSecond),
            burst: perOrder(requestsInBurst, BURST, idlePerSecond),
            idlePerSecond,
          }
        : undefined,
    ...engineFigures(runs),
  };
}

async function runIdle(
  setup: Setup,
  { storage }: Listener,
  quiet: Parameters<typeof runBurst>[2],
  say: (line: string) => void,
): Promise<{ idlePerSecond: number; firstStepMs: number[] }> {
  const firstStepMs: number[] = [];
  let idlePerSecond = Number.NaN;
  for (let time = 0; time < IDLE_TIMES; time += 1) {
    say(`nothing for ${IDLE_MS / 1000} s, then one order`);
    const before = total(storage.counts);
    await sleep(IDLE_MS);
    if (time === 0) idlePerSecond = ((total(storage.counts) - before) / IDLE_MS) * 1000;
    const { records } = await runBurst(setup, 1, quiet);
    firstStepMs.push(...records.flatMap((record) => firstStepTime(record) ?? []));
  }
  return { idlePerSecond, firstStepMs };
}

interface Requests {
  readonly counts: StorageCounts;
  readonly seconds: number;
}

function counting(storage: StorageLog): () => Requests {
  const before = storage.counts;
  const begun = performance.now();
  return () => ({ counts: lessOf(storage.counts, before), seconds: (performance.now() - begun) / 1000 });
}

function perOrder({ counts, seconds }: Requests, orders: number, idlePerSecond: number): Record<string, number> {
  const each = Object.entries(counts).map(([name, count]) => [name, count / orders]);
  const all = (total(counts) - idlePerSecond * seconds) / orders;
  return { ...Object.fromEntries(each), "all, less an idle host's": Math.max(0, all) };
}

function summaryOf({ tally, seconds, ordersPerSecond, latency, processor }: Burst): Figures["burst"] {
  return { orders: BURST, seconds, ordersPerSecond, tally, latency, processor };
}

function engineFigures(
  runs: readonly ActivityRun[],
): Pick<Figures, "activities" | "moments" | "firstStepsBeforeSecond"> {
  if (runs.length === 0) return { activities: [], moments: [], firstStepsBeforeSecond: undefined };
  const activities = figuresOf(runs);
  const secondStep = activities.find(({ name }) => name !== FIRST_STEP)?.name ?? "";
  const began = Math.min(
    ...runs.flatMap(({ name, startedAt }) => (name === secondStep && startedAt !== undefined ? startedAt : [])),
  );
  return {
    activities,
    moments: momentsOf(runs, MOMENTS, FIRST_STEP, secondStep),
    firstStepsBeforeSecond: runs.filter(
      ({ name, doneAt }) => name === FIRST_STEP && doneAt !== undefined && doneAt < began,
    ).length,
  };
}

function times(records: readonly StateRecord[]): number[] {
  return records.flatMap((record) => timeOf(record) ?? []);
}

/** From its arrival in the queue to when the agent of its first step took that up. */
function firstStepTime({ steps, enqueuedAt, createdAt }: StateRecord): number | undefined {
  const starts = Object.values(steps).flatMap(({ startedAt }) => (startedAt === null ? [] : Date.parse(startedAt)));
  return starts.length > 0 ? Math.min(...starts) - Date.parse(enqueuedAt ?? createdAt) : undefined;
}

/** Orders that are made in one go have ids that begin alike. */
function commonPrefix(records: readonly StateRecord[]): string {
  return records[0]?.jobId.replace(/\d+$/, "") ?? "";
}
