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
    /** HTTP calls of the remote services. */
    readonly calls: number;
  };
}

export interface Phase {
  readonly name: string;
  readonly runs: readonly Run[];
  /** The SDK floor's, each beside the run of the same place. */
  readonly floor: readonly Run[];
  /** The same with the app's own HTTP client: like for like. */
  readonly ownFloor: readonly Run[];
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
      calls: round((remotes?.["requests"] ?? 0) / load.orders),
    },
  };
}

/** What an order costs with any engine. The floor is none if it makes others. */
const REQUESTS: readonly (readonly [name: string, of: (run: Run) => number | undefined])[] = [
  ["messages sent", ({ perOrder }) => perOrder.bus["sends"]],
  ["messages completed", ({ perOrder }) => perOrder.bus["completes"]],
  ["batches", ({ perOrder }) => perOrder.cosmos["batch"]],
  ["patches", ({ perOrder }) => perOrder.cosmos["patch"]],
  ["HTTP calls", ({ perOrder }) => perOrder.calls],
];

/** @throws if the app and the floor made different requests for an order */
export function compareRequests(ours: Run, floor: Run): void {
  const differing = REQUESTS.filter(([, of]) => of(ours) !== of(floor));
  if (differing.length === 0) return;
  const each = differing.map(([name, of]) => `${of(ours)} and ${of(floor)} ${name}`).join(", ");
  throw new Error(
    `the app and the SDK floor make different requests for each order: ${each} (bench/order-requests.ts)`,
  );
}

type Row = readonly [name: string, of: (phase: Phase) => string];

const ROWS: readonly Row[] = [
  ["orders", ({ runs }) => `${runs[0]?.orders}${runs.length > 1 ? `, ${runs.length} times` : ""}`],
  ["failed", ({ runs }) => String(runs.reduce((sum, { failed }) => sum + failed, 0))],
  ["orders/s", ({ runs }) => spread(runs, (run) => run.ordersPerSecond)],
  ["SDK floor: orders/s", ({ floor }) => spread(floor, (run) => run.ordersPerSecond)],
  ["ours/floor", (phase) => ratio(phase, (run) => run.ordersPerSecond)],
  ["floor, app's client: orders/s", ({ ownFloor }) => spread(ownFloor, (run) => run.ordersPerSecond)],
  ["ours/floor, app's client", (phase) => ratio(likeForLike(phase), (run) => run.ordersPerSecond)],
  ["CPU ms/order, all", ({ runs }) => spread(runs, (run) => run.cpuMsPerOrder)],
  ["SDK floor: CPU ms/order", ({ floor }) => spread(floor, (run) => run.cpuMsPerOrder)],
  ["ours/floor", (phase) => ratio(phase, (run) => run.cpuMsPerOrder)],
  ["floor, app's client: CPU ms/order", ({ ownFloor }) => spread(ownFloor, (run) => run.cpuMsPerOrder)],
  ["ours/floor, app's client", (phase) => ratio(likeForLike(phase), (run) => run.cpuMsPerOrder)],
  ["p50, send to Completed, ms", ({ runs }) => spread(runs, (run) => run.p50Ms)],
  ["SDK floor: p50, ms", ({ floor }) => spread(floor, (run) => run.p50Ms)],
  ["floor, app's client: p50, ms", ({ ownFloor }) => spread(ownFloor, (run) => run.p50Ms)],
  ["p99, ms", ({ runs }) => spread(runs, (run) => run.p99Ms)],
  ["SDK floor: p99, ms", ({ floor }) => spread(floor, (run) => run.p99Ms)],
  ["floor, app's client: p99, ms", ({ ownFloor }) => spread(ownFloor, (run) => run.p99Ms)],
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

/** What has ended should cost nothing: each phase with it over the same phase without it. By the floor, which stores nothing of it. */
export function pastTable(without: readonly Phase[], having: readonly Phase[]): string {
  const table = new Table({
    head: ["", "orders/s", "ours/floor, orders/s", "CPU ms/order", "p50", "p99"],
    style: process.stdout.isTTY ? {} : { head: [], border: [] },
  });
  for (const [at, { name, runs, floor }] of without.entries()) {
    const other = having[at];
    if (!other) continue;
    const over = (of: (run: Run) => number) => `${round(median(other.runs, of) / median(runs, of))} ×`;
    const byFloor = (phase: Pick<Phase, "runs" | "floor">) => ratiosOf(phase, (run) => run.ordersPerSecond);
    const change = spreadOf(byFloor(other)).median / spreadOf(byFloor({ runs, floor })).median;
    table.push([
      name,
      over((run) => run.ordersPerSecond),
      floor.length === 0 ? "" : `${round(change)} ×`,
      over((run) => run.cpuMsPerOrder),
      over((run) => run.p50Ms),
      over((run) => run.p99Ms),
    ]);
  }
  return table.toString();
}

const median = (runs: readonly Run[], of: (run: Run) => number): number => spreadOf(runs.map(of)).median;

function spread(runs: readonly Run[], of: (run: Run) => number): string {
  return runs.length === 0 ? "" : shown(spreadOf(runs.map(of)));
}

/** Of each run over the floor beside it: both met the same state of the machine. */
function ratiosOf({ runs, floor }: Pick<Phase, "runs" | "floor">, of: (run: Run) => number): number[] {
  return floor.flatMap((beside, at) => (runs[at] ? [of(runs[at]) / of(beside)] : []));
}

const likeForLike = ({ runs, ownFloor }: Phase): Pick<Phase, "runs" | "floor"> => ({ runs, floor: ownFloor });

function ratio(phase: Pick<Phase, "runs" | "floor">, of: (run: Run) => number): string {
  const ratios = ratiosOf(phase, of);
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
