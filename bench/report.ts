// A phase of the benchmark as numbers per order, as a table for people and as JSON for comparison.
import Table from "cli-table3";
import type { Floor } from "./floor.ts";
import { type LoadResult, percentile } from "./load.ts";
import { type Counts, difference, type Measure } from "./measure.ts";

export interface Phase {
  readonly name: string;
  readonly orders: number;
  readonly failed: number;
  readonly seconds: number;
  readonly ordersPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Orders a second over the floor's. */
  readonly ofFloor: number;
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

const NO_OPERATIONS: ReadonlySet<string> = new Set(["commits", "writes", "requestChargeModelled", "connections"]);

export function phaseOf(name: string, load: LoadResult, before: Measure, after: Measure, floor: Floor): Phase {
  const each = (counts: Counts) => perOrder(counts, load.orders);
  const [bus, cosmos, host, remotes] = (["bus", "cosmos", "host", "remotes"] as const).map((part) =>
    difference(before[part], after[part]),
  );
  const flushes = [bus, cosmos, host, remotes].reduce((sum, counts) => sum + (counts?.["commits"] ?? 0), 0);
  const ordersPerSecond = load.orders / load.seconds;
  return {
    name,
    orders: load.orders,
    failed: load.failed,
    seconds: round(load.seconds),
    ordersPerSecond: round(ordersPerSecond),
    p50Ms: round(percentile(load.latenciesMs, 0.5)),
    p99Ms: round(percentile(load.latenciesMs, 0.99)),
    ofFloor: round(ordersPerSecond / floor.ordersPerSecond),
    perOrder: {
      cpuMs: each(difference(before.cpuMs, after.cpuMs)),
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

export function phaseTable(phases: readonly Phase[], floor: Floor): string {
  const rows: [string, (phase: Phase) => string][] = [
    ["orders", (phase) => String(phase.orders)],
    ["failed", (phase) => String(phase.failed)],
    ["orders/s", (phase) => String(phase.ordersPerSecond)],
    ["of the floor", (phase) => `${phase.ofFloor} ×`],
    ["p50, send to Completed", (phase) => `${phase.p50Ms} ms`],
    ["p99", (phase) => `${phase.p99Ms} ms`],
    ["CPU ms/order", (phase) => list(phase.perOrder.cpuMs)],
    ["bytes written/order", (phase) => String(phase.perOrder.bytesWritten ?? "not known here")],
    ["flushes/order", (phase) => String(phase.perOrder.flushes)],
    ["activities/order", (phase) => String(phase.perOrder.activities)],
    ["Cosmos requests/order", (phase) => list(phase.perOrder.cosmos)],
    ["RU/order (a model)", (phase) => String(phase.perOrder.requestUnitsModelled)],
    ["Service Bus/order", (phase) => list(phase.perOrder.bus)],
  ];
  const table = new Table({
    head: ["", ...phases.map(({ name }) => name)],
    style: process.stdout.isTTY ? {} : { head: [], border: [] },
  });
  for (const [name, of] of rows) table.push([name, ...phases.map(of)]);
  const { ordersPerSecond, p50Ms, p99Ms } = floor;
  const line = `floor (SQLite alone, one order after the other): ${round(ordersPerSecond)} orders/s, p50 ${round(p50Ms)} ms, p99 ${round(p99Ms)} ms`;
  return `${table.toString()}\n${line}`;
}

function operations(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([name]) => !NO_OPERATIONS.has(name)));
}

function perOrder(counts: Counts, orders: number): Counts {
  const entries = Object.entries(counts).map(([name, value]): [string, number] => [name, round(value / orders)]);
  return Object.fromEntries(entries.filter(([, value]) => value > 0));
}

const list = (counts: Counts): string =>
  Object.entries(counts)
    .map(([name, value]) => `${name} ${value}`)
    .join("\n");
const round = (value: number): number => Math.round(value * 100) / 100;
