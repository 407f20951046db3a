// P26: a service that takes less than is asked of it. Orders wait; no failure is counted, nothing is retried and nothing compensated.

import type { EngineName, Topology } from "@scheduler-agent-supervisor/local";
import { afterAll, expect, test } from "vitest";
import { noteRun } from "../support/last-run.ts";
import { type OverloadPlan, type OverloadReport, runOverload } from "./overload.ts";

const EIGHT_PLACES = { delayMs: 150, places: 8 } as const;
/** 13 orders a second. */
const TWO_PLACES = { delayMs: 150, places: 2 } as const;
const TIMEOUT_MS = 400_000;

const cameTo: string[] = [];
afterAll(() => noteRun("overload", cameTo.join("; ")));

async function overload(what: string, plan: Omit<OverloadPlan, "withinMs">): Promise<OverloadReport> {
  const report = await runOverload({ ...plan, withinMs: TIMEOUT_MS - 60_000 }, () => undefined);
  const { orders, seconds, inFlight, waitingInQueue, retries } = report;
  cameTo.push(
    `${what}: ${orders} orders in ${Math.round(seconds)} s, at most ${inFlight} in flight and ${waitingInQueue} in the queue, ${retries} retries`,
  );
  return report;
}

test.each<[string, number, Topology, EngineName, number?]>([
  ["one process", 400, "single", "fast"],
  ["flex", 200, "flex", "fast"],
  ["one process with half of a processor, slow engine", 200, "single", "azure-storage", 50],
])(
  "P26 a burst at a service of 150 ms with 8 places, %s: all %i are Processed in their first attempt",
  async (what, orders, topology, engine, cpu) => {
    const report = await overload(what, { orders, service: EIGHT_PLACES, cpu, stack: { topology, engine } });
    expect(report.faults).toEqual([]);
  },
  TIMEOUT_MS,
);

test.each<[EngineName, string]>([
  ["fast", "PT2S"],
  ["azure-storage", "PT5S"],
])(
  "P26 a burst on a host with a tenth of a processor, its engine (%s) later than a step may wait (%s): all end in two attempts, none fails, and half as much is done as without contention",
  async (engine, startWithin) => {
    const plan = {
      orders: 200,
      service: EIGHT_PLACES,
      cpu: 10,
      startWithin,
      mostAttempts: 2,
      stack: { engine },
    };
    const report = await overload(`a tenth of a processor, ${engine}`, plan);
    expect(report.faults).toEqual([]);
    expect(report.latest).toBeGreaterThan(Number(/\d+/.exec(startWithin)));
    expect(report.parts).not.toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "P26 one and a half times what a service takes: the backlog stands in the queue, and drains",
  async () => {
    const report = await overload("20 a second where 13 are taken", { orders: 500, rate: 20, service: TWO_PLACES });
    expect(report.faults).toEqual([]);
    expect(report.waitingInQueue).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
