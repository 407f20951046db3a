// Where the time of the slowest orders at a steady rate goes, by the instants in their records, and what the machine did meanwhile.
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Stack } from "@scheduler-agent-supervisor/local";
import Table from "cli-table3";
import { openRecords } from "../cli/common/records.ts";
import { settingsFor } from "../cli/settings.ts";
import { type Load, type OrderEnd, percentile, runLoad } from "./load.ts";
import { cpuMsOf, processTree } from "./measure.ts";

const SLOWEST = 0.02;
/** Around the median, for comparison. */
const USUAL = [0.4, 0.6] as const;
const LOOK_EVERY_MS = 50;
/** Slow orders that were sent within this time are slow for one reason. */
const MOMENT_MS = 500;

/** The parts of an order's time, in ms, in their sequence; together they are its latency. */
interface Parts {
  readonly [part: string]: number;
}

/** What the machine did meanwhile, as means: CPU time of each process as a share of one processor, and a flush of some bytes in ms. */
interface Machine {
  readonly flushMs: number;
  readonly busy: Parts;
}

export interface Slowest {
  readonly orders: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The means of the orders around the median, and of the slowest. */
  readonly usual: Parts;
  readonly slowest: Parts;
  readonly usualMachine: Machine;
  readonly slowestMachine: Machine;
  readonly slowestOrders: number;
  /** In so many moments of half a second the slowest were sent. */
  readonly moments: number;
}

/** @param folder on the disk of the stack */
export async function measureSlowest(stack: Stack, load: Load, folder: string): Promise<Slowest> {
  const settings = settingsFor(stack.addresses);
  const ends: OrderEnd[] = [];
  const look = await startLooking(stack, join(folder, "probe"));
  const { latenciesMs } = await runLoad(
    settings,
    load,
    (sent, ended) => console.log(`  ${sent} sent, ${ended} ended of ${load.orders}`),
    (_count, end) => ends.push(end),
  ).finally(look.stop);
  const records = openRecords(settings);
  try {
    const byId = new Map((await records.of(ends.map(({ orderId }) => orderId))).map((one) => [one.jobId, one]));
    const sorted = [...ends].sort((one, other) => latencyOf(one) - latencyOf(other));
    const slow = sorted.slice(-Math.ceil(sorted.length * SLOWEST));
    const usual = sorted.slice(...USUAL.map((share) => Math.floor(sorted.length * share)));
    const partsOf = (some: readonly OrderEnd[]) => meanOf(some.map((end) => parts(end, byId.get(end.orderId))));
    return {
      orders: ends.length,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      usual: partsOf(usual),
      slowest: partsOf(slow),
      usualMachine: look.during(usual),
      slowestMachine: look.during(slow),
      slowestOrders: slow.length,
      moments: momentsOf(slow),
    };
  } finally {
    await records.close();
  }
}

const latencyOf = ({ sentAt, endedAt }: OrderEnd) => endedAt - sentAt;

/** All processes have one clock. */
function parts({ sentAt, endedAt }: OrderEnd, record: StateRecord | undefined): Parts {
  if (!record) throw new Error("an order that has ended has no record");
  const at = (instant: string | null | undefined) => Date.parse(instant ?? "");
  const claimed = record.history.find(({ what }) => what.startsWith("claimed"))?.at;
  const steps = Object.values(record.steps).sort((one, other) => at(one.startedAt) - at(other.startedAt));
  const [first, last] = [steps[0], steps.at(-1)];
  const called = steps.reduce((sum, { startedAt, endedAt: done }) => sum + at(done) - at(startedAt), 0);
  return {
    "sent, and stored in the queue": at(record.enqueuedAt) - sentAt,
    "received by the submission": at(record.createdAt) - at(record.enqueuedAt),
    "order and record written, claim begun": at(claimed) - at(record.createdAt),
    "claim written, orchestration and activity begun": at(first?.startedAt) - at(claimed),
    "the services' answers": called,
    "results written, between the steps": at(last?.endedAt) - at(first?.startedAt) - called,
    "end written, Completed sent and received": endedAt - at(last?.endedAt),
  };
}

function meanOf(all: readonly Parts[]): Parts {
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, all.reduce((sum, one) => sum + (one[name] ?? 0), 0) / all.length]),
  );
}

function momentsOf(slow: readonly OrderEnd[]): number {
  let until = 0;
  let moments = 0;
  for (const { sentAt } of [...slow].sort((one, other) => one.sentAt - other.sentAt)) {
    if (sentAt > until) moments += 1;
    until = sentAt + MOMENT_MS;
  }
  return moments;
}

interface Look extends Machine {
  readonly from: number;
  readonly until: number;
}

/** Flushes some bytes again and again, as what makes this slow makes every flush on that disk slow, and reads each process's CPU time. */
async function startLooking(stack: Stack, path: string) {
  const file = await open(path, "w");
  // The processes that a process starts do its work.
  const processes = [...stack.processes, { name: "bench", pid: process.pid }].map(({ name, pid }) => ({
    name,
    pids: name === "bench" ? [pid] : processTree(pid),
  }));
  const cpuNow = () => processes.map(({ pids }) => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0));
  const looks: Look[] = [];
  const ended = new AbortController();
  const work = (async () => {
    let [at, cpu] = [Date.now(), cpuNow()];
    while (!ended.signal.aborted) {
      await sleep(LOOK_EVERY_MS);
      const flushed = performance.now();
      await file.write("x");
      await file.sync();
      const flushMs = performance.now() - flushed;
      const [until, next] = [Date.now(), cpuNow()];
      const share = (index: number) => ((next[index] ?? 0) - (cpu[index] ?? 0)) / (until - at);
      const busy = Object.fromEntries(processes.map(({ name }, index) => [name, share(index)]));
      looks.push({ from: at, until, flushMs, busy });
      [at, cpu] = [until, next];
    }
  })();
  return {
    async stop() {
      ended.abort();
      await work;
      await file.close();
      await rm(path);
    },
    during(some: readonly OrderEnd[]): Machine {
      const seen = looks.filter(({ from, until }) => some.some((end) => from < end.endedAt && until > end.sentAt));
      return {
        flushMs: meanOf(seen.map(({ flushMs }) => ({ flushMs })))["flushMs"] ?? Number.NaN,
        busy: meanOf(seen.map(({ busy }) => busy)),
      };
    },
  };
}

export function slowestTable(found: Slowest): string {
  const { orders, p50Ms, p99Ms, slowestOrders, moments, usualMachine, slowestMachine } = found;
  const table = new Table({
    head: ["ms", "around the median", `slowest ${100 * SLOWEST} %`, "more"],
    colAligns: ["left", "right", "right", "right"],
    style: process.stdout.isTTY ? {} : { head: [], border: [] },
  });
  const row = (name: string, usual: number, slow: number) =>
    table.push([name, usual.toFixed(1), slow.toFixed(1), (slow - usual).toFixed(1)]);
  for (const [name, usual] of Object.entries(found.usual)) row(name, usual, found.slowest[name] ?? Number.NaN);
  const whole = (all: Parts) => Object.values(all).reduce((sum, one) => sum + one, 0);
  row("the whole", whole(found.usual), whole(found.slowest));
  row("a flush of some bytes beside them", usualMachine.flushMs, slowestMachine.flushMs);
  const busy = ({ busy: shares }: Machine) =>
    Object.entries(shares)
      .map(([name, share]) => `${name} ${Math.round(100 * share)} %`)
      .join(", ");
  return [
    `${orders} orders: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    table.toString(),
    `the ${slowestOrders} slowest were sent in ${moments} moments`,
    `CPU, of one processor, around the median: ${busy(usualMachine)}`,
    `and meanwhile of the slowest: ${busy(slowestMachine)}`,
  ].join("\n");
}
