// Which metrics follow from which events, and what the instruments make of them.
import {
  AggregationTemporality,
  type HistogramMetricData,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { afterEach, expect, test } from "vitest";
import type { Attributes } from "../../src/telemetry/event-names.ts";
import { cumulativeButGauges } from "../../src/telemetry/exporters.ts";
import { createInstruments } from "../../src/telemetry/instruments.ts";
import { type MetricName, measure, measureEvent, measureWith } from "../../src/telemetry/metrics.ts";

afterEach(() => measureWith(undefined));

function measured(name: Parameters<typeof measureEvent>[0], attributes: Attributes) {
  const found: [MetricName, number | undefined, Attributes][] = [];
  measureWith((metric, value, by) => found.push([metric, value, by]));
  measureEvent(name, attributes);
  return found;
}

test.each([
  ["JobProcessed", { jobId: "o", criticalMs: 12 }, [["jobs.critical_time", 12, {}]]],
  [
    "StepCompleted",
    { agent: "a", step: "s", ms: 5 },
    [["steps.duration", 5, { agent: "a", step: "s", outcome: "completed" }]],
  ],
  [
    "StepCompensated",
    { agent: "a", step: "s", ms: 5 },
    [["steps.duration", 5, { agent: "a", step: "s", outcome: "compensated" }]],
  ],
  [
    "StepRejected",
    { agent: "a", step: "s", ms: 5 },
    [["steps.duration", 5, { agent: "a", step: "s", outcome: "rejected" }]],
  ],
  ["JobRetried", { agent: "a", step: "s" }, [["steps.retries", 1, { agent: "a", step: "s", by: "supervisor" }]]],
  ["JobWaits", { agent: "a", step: "s" }, [["steps.retries", 1, { agent: "a", step: "s", by: "supervisor" }]]],
  ["LateReplyRejected", { step: "s" }, [["jobs.late_replies", 1, { step: "s" }]]],
  ["AgentTimedOut", { agent: "a", step: "s" }, [["agents.timeouts", 1, { agent: "a", step: "s" }]]],
  [
    "EndpointHealth",
    { agent: "a", endpoint: "e", to: "broken" },
    [["agents.breaker", 1, { agent: "a", endpoint: "e" }]],
  ],
  [
    "EndpointHealth",
    { agent: "a", endpoint: "e", to: "probing" },
    [["agents.breaker", 1, { agent: "a", endpoint: "e" }]],
  ],
  [
    "EndpointHealth",
    { agent: "a", endpoint: "e", to: "healthy" },
    [["agents.breaker", 0, { agent: "a", endpoint: "e" }]],
  ],
  [
    "EndpointHealth",
    { agent: "a", endpoint: "e", to: "resting" },
    [["agents.breaker", 0, { agent: "a", endpoint: "e" }]],
  ],
  ["SupervisorFollows", {}, [["supervisor.sweep.age", undefined, {}]]],
  ["JobClaimed", { jobId: "o" }, []],
] as const)("%s %o", (name, attributes, wanted) => expect(measured(name, attributes)).toEqual(wanted));

test("a sweep says how long it took, and when it was unless a fault ended it", () => {
  const before = Date.now();
  const [duration, age] = measured("SupervisorSweep", { ms: 7, endedBy: "all seen" });
  expect(duration).toEqual(["supervisor.sweep.duration", 7, { endedBy: "all seen" }]);
  expect(age?.[0]).toBe("supervisor.sweep.age");
  expect(age?.[1]).toBeGreaterThanOrEqual(before);
  expect(measured("SupervisorSweep", { ms: 7, endedBy: "fault" })).toHaveLength(1);
});

test("an event without the number that a metric needs measures nothing", () => {
  expect(measured("StepCompleted", { agent: "a", step: "s", ms: null })).toEqual([]);
});

/** Instruments on the real SDK, and what an export would say now. */
function instruments(staleMs: number, clock: { ms: number }) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  exporter.selectAggregationTemporality = cumulativeButGauges;
  const provider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  measureWith(createInstruments(provider.getMeter("test"), staleMs, () => clock.ms));
  return async (name: MetricName): Promise<MetricData | undefined> => {
    exporter.reset();
    await provider.forceFlush();
    return exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics[0]?.metrics.find(({ descriptor }) => descriptor.name === name);
  };
}

const points = (metric: MetricData | undefined) =>
  metric?.dataPoints.map(({ attributes, value }) => ({ attributes, value })) ?? [];

test("a gauge holds one value for each set of attributes; one that a timer sets times out when nobody sets it anew", async () => {
  const clock = { ms: 0 };
  const exported = instruments(1000, clock);
  measure("jobs.by_state", 3, { state: "Pending", kind: null });
  measure("jobs.by_state", 4, { state: "Error", kind: "expired" });
  measure("jobs.by_state", 2, { state: "Pending", kind: null });
  measure("agents.breaker", 1, { agent: "a", endpoint: "e" });
  expect(points(await exported("jobs.by_state"))).toEqual([
    { attributes: { state: "Pending" }, value: 2 },
    { attributes: { state: "Error", kind: "expired" }, value: 4 },
  ]);
  clock.ms = 2000;
  expect(points(await exported("jobs.by_state"))).toEqual([]);
  expect(points(await exported("agents.breaker"))).toEqual([{ attributes: { agent: "a", endpoint: "e" }, value: 1 }]);
});

test("an age grows until it is set anew, or nothing more is to be said", async () => {
  const clock = { ms: 10_000 };
  const exported = instruments(1000, clock);
  measure("supervisor.sweep.age", 10_000);
  clock.ms = 17_000;
  expect(points(await exported("supervisor.sweep.age"))).toEqual([{ attributes: {}, value: 7 }]);
  measure("supervisor.sweep.age", undefined);
  expect(points(await exported("supervisor.sweep.age"))).toEqual([]);
});

test("counters add up, histograms spread in their own bounds, and no clock makes a time negative", async () => {
  const exported = instruments(1000, { ms: 0 });
  measure("agents.timeouts", 1, { agent: "a", step: "s" });
  measure("agents.timeouts", 1, { agent: "a", step: "s" });
  measure("jobs.critical_time", -5);
  measure("jobs.critical_time", 7_200_000);
  expect(points(await exported("agents.timeouts"))).toEqual([{ attributes: { agent: "a", step: "s" }, value: 2 }]);
  const [spread] = ((await exported("jobs.critical_time")) as HistogramMetricData).dataPoints;
  expect(spread?.value).toMatchObject({ min: 0, max: 7_200_000, count: 2 });
  expect(spread?.value.buckets.boundaries).toContain(21_600_000);
});
