// A phase of the benchmark as numbers per order, as a table for people and as JSON for comparison.
import Table from "cli-table3";
import type { DiskFloor } from "./disk-floor.ts";
import { type LoadResult, percentile } from "./load.ts";
import { type Counts, difference, type Measure } from "./measure.ts";
import { shown, spreadOf } from "./median.ts";

/** One run of a phase. */
export interface Run {
  readonly orders: number;
  readonly failed: number;
  readonly seconds: number;
  readonly ordersPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lastQuarter: number;
  /** CPU time of all processes but the one that sends the orders. */
  readonly cpuMsPerOrder: number;
  readonly perOrder: {
    readonly cpuMs: Counts;
    readonly bytesWritten: number | undefined;
    readonly flushes: number;
    readonly activities: number;
    /** A model of what Azure would charge, not a measurement. */
    readonly requestUnitsModelled: number;
    readonly cosmos: Counts;
    readonly bus: Counts;
  };
}

export interface Phase {
  readonly name: string;
  readonly runs: readonly Run[];
  /** The SDK floor's, each beside the run of the same place. */
  readonly floor: readonly Run[];
}

const NO_OPERATIONS: ReadonlySet<string> = new Set([
  "commits",
  "flushes",
  "writes",
  "requestChargeModelled",
  "connections",
]);

/** @param idle processes that have no part in it */
export function runOf(load: LoadResult, before: Measure, after: Measure, idle: readonly string[]): Run {
  const each = (counts: Counts) => perOrder(counts, load.orders);
  const [bus, cosmos, host, remotes] = (["bus", "cosmos", "host", "remotes"] as const).map((part) =>
    difference(before[part], after[part]),
  );
  const flushes = [bus, cosmos, host, remotes].reduce((sum, counts) => sum + (counts?.["flushes"] ?? 0), 0);
  const cpuMs = Object.entries(difference(before.cpuMs, after.cpuMs)).filter(([name]) => !idle.includes(name));
  const working = cpuMs.filter(([name]) => name !== "bench").reduce((sum, [, ms]) => sum + ms, 0);
  return {
    orders: load.orders,
    failed: load.failed,
    seconds: round(load.seconds),
    ordersPerSecond: round(load.orders / load.seconds),
    p50Ms: round(percentile(load.latenciesMs, 0.5)),
    p99Ms: round(percentile(load.latenciesMs, 0.99)),
    lastQuarter: round(load.lastQuarter),
    cpuMsPerOrder: round(working / load.orders),
    perOrder: {
      cpuMs: each(Object.fromEntries(cpuMs)),
      bytesWritten:
        before.bytesWritten === undefined || after.bytesWritten === undefined
          ? undefined
          : Math.round((after.bytesWritten - before.bytesWritten) / load.orders),
      flushes: round(flushes / load.orders),
      activities: round((host?.["durable.activities"] ?? 0) / load.orders),
      requestUnitsModelled: round((cosmos?.["requestChargeModelled"] ?? 0) / load.orders),
      cosmos: each(operations(cosmos ?? {})),
      bus: each(operations(bus ?? {})),
    },
  };
}

type Row = readonly [name: string, of: (phase: Phase) => string];

const ROWS: readonly Row[] = [
  ["orders", ({ runs }) => `${runs[0]?.orders}${runs.length > 1 ? `, ${runs.length} times` : ""}`],
  ["failed", ({ runs }) => String(runs.reduce((sum, { failed }) => sum + failed, 0))],
  ["orders/s", ({ runs }) => spread(runs, (run) => run.ordersPerSecond)],
  ["SDK floor: orders/s", ({ floor }) => spread(floor, (run) => run.ordersPerSecond)],
  ["ours/floor", (phase) => ratio(phase, (run) => run.ordersPerSecond)],
  ["CPU ms/order, all", ({ runs }) => spread(runs, (run) => run.cpuMsPerOrder)],
  ["SDK floor: CPU ms/order", ({ floor }) => spread(floor, (run) => run.cpuMsPerOrder)],
  ["ours/floor", (phase) => ratio(phase, (run) => run.cpuMsPerOrder)],
  ["p50, send to Completed, ms", ({ runs }) => spread(runs, (run) => run.p50Ms)],
  ["p99, ms", ({ runs }) => spread(runs, (run) => run.p99Ms)],
  ["last quarter/first quarter", ({ runs }) => spread(runs, (run) => run.lastQuarter)],
  ["CPU ms/order", ({ runs }) => list(runs, (run) => run.perOrder.cpuMs)],
  ["SDK floor: CPU ms/order", ({ floor }) => list(floor, (run) => run.perOrder.cpuMs)],
  ["bytes written/order", ({ runs }) => spread(runs, (run) => run.perOrder.bytesWritten ?? Number.NaN)],
  ["flushes/order", ({ runs }) => spread(runs, (run) => run.perOrder.flushes)],
  ["activities/order", ({ runs }) => spread(runs, (run) => run.perOrder.activities)],
  ["Cosmos requests/order", ({ runs }) => list(runs, (run) => run.perOrder.cosmos)],
  ["RU/order (a model)", ({ runs }) => spread(runs, (run) => run.perOrder.requestUnitsModelled)],
  ["Service Bus/order", ({ runs }) => list(runs, (run) => run.perOrder.bus)],
];

export function phaseTable(phases: readonly Phase[], disk: DiskFloor): string {
  const table = new Table({
    head: ["", ...phases.map(({ name }) => name)],
    style: process.stdout.isTTY ? {} : { head: [], border: [] },
  });
  for (const [name, of] of ROWS) table.push([name, ...phases.map(of)]);
  const { ordersPerSecond, p50Ms, p99Ms } = disk;
  const line = `the disk (SQLite alone, one order after the other): ${round(ordersPerSecond)} orders/s, p50 ${round(p50Ms)} ms, p99 ${round(p99Ms)} ms`;
  return `${table.toString()}\n${line}`;
}

function spread(runs: readonly Run[], of: (run: Run) => number): string {
  return runs.length === 0 ? "" : shown(spreadOf(runs.map(of)));
}

/** Of each run over the floor beside it: both met the same state of the machine. */
function ratio({ runs, floor }: Phase, of: (run: Run) => number): string {
  const ratios = floor.flatMap((beside, at) => (runs[at] ? [of(runs[at]) / of(beside)] : []));
  return ratios.length === 0 ? "" : `${shown(spreadOf(ratios))} ×`;
}

function list(runs: readonly Run[], of: (run: Run) => Counts): string {
  const names = [...new Set(runs.flatMap((run) => Object.keys(of(run))))];
  return names.map((name) => `${name} ${round(spreadOf(runs.map((run) => of(run)[name] ?? 0)).median)}`).join("\n");
}

function operations(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([name]) => !NO_OPERATIONS.has(name)));
}

function perOrder(counts: Counts, orders: number): Counts {
  const entries = Object.entries(counts).map(([name, value]): [string, number] => [name, round(value / orders)]);
  return Object.fromEntries(entries.filter(([, value]) => value > 0));
}

const round = (value: number): number => Math.round(value * 100) / 100;
