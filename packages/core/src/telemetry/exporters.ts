// Where telemetry goes: Application Insights, or an OTLP collector. Their packages are loaded at the first export, not at start.

import type { AzureMonitorExporterOptions } from "@azure/monitor-opentelemetry-exporter";
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { LogRecordExporter } from "@opentelemetry/sdk-logs";
import { AggregationTemporality, InstrumentType, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { asError } from "../domain/thrown.ts";

/** What is exported of what the app says of itself, and where to. */
export interface TelemetrySettings {
  /** Application Insights. */
  readonly connectionString: string | undefined;
  /** How to sign in there, as the Functions host reads it: `Authorization=AAD;ClientId=…`. */
  readonly authentication: string | undefined;
  /** An OTLP collector's base URL. */
  readonly otlpEndpoint: string | undefined;
  /** How long spans and events may wait to be sent together. */
  readonly sendWithinMs: number;
  readonly metricsEveryMs: number;
  /** The part of the traces that is kept, above 0 and at most 1; events and metrics always are. */
  readonly tracesKept: number;
  readonly serviceName: string;
  readonly instance: string | undefined;
}

export interface Exporting {
  /** Sends what waits, within `limitMs`. */
  flush(limitMs: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Place {
  readonly spans: SpanExporter;
  readonly logs: LogRecordExporter;
  readonly metrics: PushMetricExporter;
}

interface Exporter<T> {
  export(items: T, done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}

/** Loads the exporter when there is something to export. One that can't be loaded fails that export and is tried again. */
class LateExporter<T> {
  readonly #load: () => Promise<Exporter<T>>;
  #loaded: Promise<Exporter<T>> | undefined;

  constructor(load: () => Promise<Exporter<T>>) {
    this.#load = load;
  }

  export(items: T, done: (result: ExportResult) => void): void {
    this.#loaded ??= this.#load();
    this.#loaded.then(
      (exporter) => exporter.export(items, done),
      (cause: unknown) => {
        this.#loaded = undefined;
        done({ code: ExportResultCode.FAILED, error: asError(cause) });
      },
    );
  }

  async forceFlush(): Promise<void> {
    await (await this.#loaded)?.forceFlush?.();
  }

  async shutdown(): Promise<void> {
    await (await this.#loaded)?.shutdown();
  }
}

class LateMetricExporter
  extends LateExporter<Parameters<PushMetricExporter["export"]>[0]>
  implements PushMetricExporter
{
  readonly selectAggregationTemporality: (instrument: InstrumentType) => AggregationTemporality;

  constructor(
    load: () => Promise<PushMetricExporter>,
    temporality: (instrument: InstrumentType) => AggregationTemporality,
  ) {
    super(load);
    this.selectAggregationTemporality = temporality;
  }
}

/** As OTLP's usage is; but what is cumulative repeats a gauge's last value for ever, though nobody observes it any more. */
export function cumulativeButGauges(instrument: InstrumentType): AggregationTemporality {
  return instrument === InstrumentType.OBSERVABLE_GAUGE
    ? AggregationTemporality.DELTA
    : AggregationTemporality.CUMULATIVE;
}

/** @param endpoint the collector's base URL; headers and the like come by OpenTelemetry's own environment variables */
export function otlp(endpoint: string): Place {
  const url = (signal: string) => new URL(`v1/${signal}`, endpoint.endsWith("/") ? endpoint : `${endpoint}/`).href;
  return {
    spans: new LateExporter(async () => {
      const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
      return new OTLPTraceExporter({ url: url("traces") });
    }),
    logs: new LateExporter(async () => {
      const { OTLPLogExporter } = await import("@opentelemetry/exporter-logs-otlp-http");
      return new OTLPLogExporter({ url: url("logs") });
    }),
    metrics: new LateMetricExporter(async () => {
      const { OTLPMetricExporter } = await import("@opentelemetry/exporter-metrics-otlp-http");
      return new OTLPMetricExporter({ url: url("metrics") });
    }, cumulativeButGauges),
  };
}

export interface AzureMonitorOptions {
  readonly connectionString: string;
  /** `Authorization=AAD;ClientId=…`: with the managed identity of that id, or the app's own one without an id. */
  readonly authentication?: string | undefined;
  /** In the place of the one that the exporter brings. */
  readonly httpClient?: NonNullable<AzureMonitorExporterOptions["httpClient"]>;
}

export function azureMonitor({ connectionString, authentication, httpClient }: AzureMonitorOptions): Place {
  const load = async () => {
    const [monitor, credential] = await Promise.all([
      import("@azure/monitor-opentelemetry-exporter"),
      credentialOf(authentication),
    ]);
    const options = { connectionString, ...(credential && { credential }), ...(httpClient && { httpClient }) };
    return { monitor, options };
  };
  return {
    spans: new LateExporter(async () => {
      const { monitor, options } = await load();
      return new monitor.AzureMonitorTraceExporter(options);
    }),
    logs: new LateExporter(async () => {
      const { monitor, options } = await load();
      return new monitor.AzureMonitorLogExporter(options);
    }),
    metrics: new LateMetricExporter(
      async () => {
        const { monitor, options } = await load();
        return new monitor.AzureMonitorMetricExporter(options);
      },
      () => AggregationTemporality.DELTA,
    ),
  };
}

/** Undefined where the connection string alone is enough. */
async function credentialOf(authentication: string | undefined) {
  const { isEntra, clientId } = parseAuthentication(authentication);
  if (!isEntra) return undefined;
  const { ManagedIdentityCredential } = await import("@azure/identity");
  return clientId ? new ManagedIdentityCredential({ clientId }) : new ManagedIdentityCredential();
}

export function parseAuthentication(text = ""): { readonly isEntra: boolean; readonly clientId: string | undefined } {
  const parts = new Map(
    text.split(";").map((part): [string, string] => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
  return { isEntra: parts.get("authorization")?.toUpperCase() === "AAD", clientId: parts.get("clientid") || undefined };
}
