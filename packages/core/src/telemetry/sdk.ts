// OpenTelemetry's SDK, put together: traces, events as log records, metrics. Loaded only where something is exported.

import { type Context, context, propagation } from "@opentelemetry/api";
import { SeverityNumber } from "@opentelemetry/api-logs";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { sleep } from "../domain/timer.ts";
import type { Attributes, EventName, Level } from "./event-names.ts";
import { listenToEvents } from "./events.ts";
import { listenToExceptions } from "./exceptions.ts";
import { azureMonitor, type Exporting, otlp, type Place, type TelemetrySettings } from "./exporters.ts";
import { createInstruments } from "./instruments.ts";
import { measureWith } from "./metrics.ts";
import { traceWith, withoutNulls } from "./spans.ts";

const SCOPE = "jobs";
/** A burst of jobs may make so many spans before they are sent; what is more is dropped. */
const QUEUE = 20_000;
const BATCH = 2000;
/** A gauge that was not set anew for so many exports is silent. */
const STALE_AFTER_EXPORTS = 3;

/** A place that does not answer keeps nobody waiting for longer. */
const STOP_LIMIT_MS = 1000;

const SEVERITIES = {
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
} as const satisfies Record<Level, SeverityNumber>;

export function startSdk(settings: TelemetrySettings, places: readonly Place[] = placesOf(settings)): Exporting {
  const { sendWithinMs, metricsEveryMs, tracesKept } = settings;
  const resource = resourceFromAttributes({
    "service.name": settings.serviceName,
    ...(settings.instance && { "service.instance.id": settings.instance }),
  });
  const batches = { scheduledDelayMillis: sendWithinMs, maxQueueSize: QUEUE, maxExportBatchSize: BATCH };

  const tracers = new TracerProvider({
    resource,
    // Whatever the parent's flag says: the classic host marks its spans as not recorded though it keeps them.
    sampler: tracesKept < 1 ? new PartSampler(tracesKept) : new AlwaysOnSampler(),
    spanProcessors: places.map(({ spans: exporter }) => new BatchSpanProcessor({ exporter, ...batches })),
  });
  const loggers = new LoggerProvider({
    resource,
    processors: places.map(({ logs: exporter }) => new BatchLogRecordProcessor({ exporter, ...batches })),
  });
  const meters = new MeterProvider({
    resource,
    readers: places.map(
      ({ metrics: exporter }) =>
        new PeriodicExportingMetricReader({
          exporter,
          exportIntervalMillis: metricsEveryMs,
          exportTimeoutMillis: metricsEveryMs,
        }),
    ),
  });

  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // The durable client asks it for the header by which the engine's own spans join the trace.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  traceWith(tracers.getTracer(SCOPE));
  measureWith(createInstruments(meters.getMeter(SCOPE), STALE_AFTER_EXPORTS * metricsEveryMs));
  const logger = loggers.getLogger(SCOPE);
  listenToEvents((name: EventName, attributes: Attributes, level: Level) => {
    logger.emit({
      eventName: name,
      body: name,
      severityNumber: SEVERITIES[level],
      severityText: level,
      // Application Insights shows a record that has it as a custom event of that name.
      attributes: { ...withoutNulls(attributes), "microsoft.custom_event.name": name },
      context: context.active(),
    });
  });
  listenToExceptions((record) =>
    logger.emit({
      eventName: "exception",
      body: record["exception.message"],
      severityNumber: SEVERITIES.error,
      severityText: "error",
      attributes: { ...record },
      context: context.active(),
    }),
  );

  const providers = [tracers, loggers, meters];
  return {
    async flush(limitMs) {
      const flushed = Promise.allSettled(providers.map((provider) => provider.forceFlush()));
      await Promise.race([flushed, sleep(limitMs, { isIdle: true })]);
    },
    async stop() {
      listenToEvents(undefined);
      listenToExceptions(undefined);
      measureWith(undefined);
      traceWith(undefined);
      context.disable();
      propagation.disable();
      const ended = Promise.allSettled(providers.map((provider) => provider.shutdown()));
      await Promise.race([ended, sleep(STOP_LIMIT_MS, { isIdle: true })]);
    },
  };
}

function placesOf({ connectionString, authentication, otlpEndpoint }: TelemetrySettings): Place[] {
  return [
    ...(connectionString ? [azureMonitor({ connectionString, authentication })] : []),
    ...(otlpEndpoint ? [otlp(otlpEndpoint)] : []),
  ];
}

/** By it the exporter says for how many items one stands (`ItemCount`). */
const SAMPLE_RATE = "microsoft.sample_rate";
const MOST = 0x7f_ff_ff_ff;
const LEAST = -0x80_00_00_00;

/**
 * Which traces are kept where not all are: by the rule of Application Insights' SDKs, so that the host's spans and ours are of the same traces. The
 * trace's id alone decides, whatever the parent's flag says: the classic host marks its spans as not recorded though it keeps them. The same rule is
 * `ApplicationInsightsSampler` of @azure/monitor-opentelemetry-exporter, which would have to be loaded at the start of the process.
 */
export class PartSampler implements Sampler {
  readonly #percent: number;

  /** @param part above 0, below 1 */
  constructor(part: number) {
    this.#percent = part * 100;
  }

  shouldSample(_context: Context, traceId: string): SamplingResult {
    return scoreOf(traceId) < this.#percent
      ? { decision: SamplingDecision.RECORD_AND_SAMPLED, attributes: { [SAMPLE_RATE]: this.#percent } }
      : { decision: SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `PartSampler{${this.#percent}%}`;
  }
}

/** From 0 to 100: Bernstein's hash (djb2) in 32 bits, as .NET's SDK computes it. */
function scoreOf(traceId: string): number {
  let hash = 5381;
  for (const character of traceId) hash = (Math.imul(hash, 33) + character.charCodeAt(0)) | 0;
  return ((hash === LEAST ? MOST : Math.abs(hash)) / MOST) * 100;
}
