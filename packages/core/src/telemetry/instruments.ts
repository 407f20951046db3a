// The metrics' instruments: counts and spreads go straight into them; gauges are kept here and read at each export.
import type { Meter as OpenTelemetryMeter } from "@opentelemetry/api";
import type { Attributes } from "./event-names.ts";
import { METRICS, type Meter, type MetricName } from "./metrics.ts";
import { withoutNulls } from "./spans.ts";

interface Reading {
  readonly value: number;
  readonly attributes: ReturnType<typeof withoutNulls>;
  readonly at: number;
}

type Readings = Map<string, Reading>;

/** @param staleMs after so long a gauge that expires is silent: another process may have taken over what it reported */
export function createInstruments(meter: OpenTelemetryMeter, staleMs: number, now: () => number = Date.now): Meter {
  const takers = new Map<MetricName, (value: number | undefined, attributes: Attributes) => void>();
  for (const name of Object.keys(METRICS) as MetricName[]) takers.set(name, takerOf(name, meter, staleMs, now));
  return (name, value, attributes) => takers.get(name)?.(value, attributes);
}

function takerOf(name: MetricName, meter: OpenTelemetryMeter, staleMs: number, now: () => number) {
  const definition = METRICS[name];
  const { kind, unit, description } = definition;
  switch (kind) {
    case "counter": {
      const counter = meter.createCounter(name, { unit, description });
      return (value: number | undefined, attributes: Attributes) => counter.add(value ?? 0, withoutNulls(attributes));
    }
    case "histogram": {
      const advice = { explicitBucketBoundaries: [...definition.bounds] };
      const histogram = meter.createHistogram(name, { unit, description, advice });
      // Two clocks may differ: nothing takes less than no time.
      return (value: number | undefined, attributes: Attributes) =>
        histogram.record(Math.max(0, value ?? 0), withoutNulls(attributes));
    }
    case "gauge":
    case "age": {
      const readings: Readings = new Map();
      const expires = "expires" in definition;
      meter.createObservableGauge(name, { unit, description }).addCallback((result) => {
        for (const { value, attributes, at } of readings.values()) {
          if (expires && now() - at > staleMs) continue;
          result.observe(kind === "age" ? (now() - value) / 1000 : value, attributes);
        }
      });
      return (value: number | undefined, attributes: Attributes) => {
        const present = withoutNulls(attributes);
        const series = JSON.stringify(present);
        if (value === undefined) readings.delete(series);
        else readings.set(series, { value, attributes: present, at: now() });
      };
    }
    default:
      return definition satisfies never;
  }
}
