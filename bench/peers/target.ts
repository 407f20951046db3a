// What a round measures: an engine that runs, and what some orders cost it.
import { percentile } from "../load.ts";
import type { Variant } from "./engines.ts";

export interface Load {
  readonly orders: number;
  /** Orders a second; as fast as they go without it. */
  readonly rate?: number;
}

export interface Measured {
  readonly orders: number;
  readonly failed: number;
  readonly ordersPerSecond: number;
  /** Of the engine's processes and its server's, without the sender and the simulated services. */
  readonly cpuMsPerOrder: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** An engine that takes orders. */
export interface RunningTarget {
  readonly versions: readonly string[];
  measure(variant: Variant, load: Load): Promise<Measured>;
  stop(): Promise<void>;
}

/** An engine that can't be started on this machine: its rows say why. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

export interface Observed {
  readonly orders: number;
  readonly failed: number;
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
  readonly cpuMs: number;
}

export function resultOf({ orders, failed, seconds, latenciesMs, cpuMs }: Observed): Measured {
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  return {
    orders,
    failed,
    ordersPerSecond: orders / seconds,
    cpuMsPerOrder: cpuMs / orders,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}
