// Begins to export what the app says of itself, where a setting names a place for it; without one none of this is loaded.

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

let exporting: Promise<Exporting> | undefined;

export function isExporting({ connectionString, otlpEndpoint }: TelemetrySettings): boolean {
  return connectionString !== undefined || otlpEndpoint !== undefined;
}

/** Once a process. */
export async function startTelemetry(settings: TelemetrySettings): Promise<void> {
  if (!isExporting(settings)) return;
  exporting ??= import("./sdk.ts").then(({ startSdk }) => startSdk(settings));
  await exporting;
}

/** Sends what waits; a place that does not answer costs no more than `limitMs`. */
export async function flushTelemetry(limitMs: number): Promise<void> {
  await (await exporting)?.flush(limitMs);
}

/** For tests: as if it had never been started. */
export async function stopTelemetry(): Promise<void> {
  const started = exporting;
  exporting = undefined;
  await (await started)?.stop();
}
