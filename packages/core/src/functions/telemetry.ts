// Starts telemetry with the app, and sends the remaining telemetry before the app ends.
import type { PreInvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { recordingExceptions } from "../telemetry/exceptions.ts";
import { flushTelemetry, isExporting, startTelemetry } from "../telemetry/start.ts";

/** The host gives its workers a few seconds. */
const FLUSH_WITHIN_MS = 2000;

/** The hooks of the app that start its telemetry, and send the rest at its end; without `preInvocation` if nothing is exported. */
export function telemetryHooks({ telemetrySettings }: App) {
  return {
    // Wraps the body of every function, in any file.
    preInvocation: isExporting(telemetrySettings) ? recordInvocation : undefined,
    appStart: () => startTelemetry(telemetrySettings),
    appTerminate: () => flushTelemetry(FLUSH_WITHIN_MS),
  };
}

function recordInvocation(invocation: PreInvocationContext): void {
  const { functionHandler: body, invocationContext } = invocation;
  invocation.functionHandler = (...inputs) => recordingExceptions(invocationContext, () => body(...inputs));
}
