// Begins to export what the app says of itself, where a setting names a place for it; without one none of this is loaded.

let exporting: Promise<Exporting> | undefined;

import type { Exporting, TelemetrySettings } from "./exporters.ts";
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
