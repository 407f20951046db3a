// Telemetry begins with the app and sends what it still holds before the app ends.
import type { PreInvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { recordingExceptions } from "../telemetry/exceptions.ts";
import { flushTelemetry, isExporting, startTelemetry } from "../telemetry/start.ts";

/** The host gives its workers a few seconds. */
const FLUSH_WITHIN_MS = 2000;

/** The hooks of the app that begin its telemetry, and send what is left at its end; without `preInvocation` where nothing is exported. */
export function telemetryHooks({ telemetrySettings }: App) {
  return {
    // Round the body of each function that there is, whatever file it is in.
    preInvocation: isExporting(telemetrySettings) ? recordInvocation : undefined,
    appStart: () => startTelemetry(telemetrySettings),
    appTerminate: () => flushTelemetry(FLUSH_WITHIN_MS),
  };
}

function recordInvocation(invocation: PreInvocationContext): void {
  const { functionHandler: body, invocationContext } = invocation;
  invocation.functionHandler = (...inputs) => recordingExceptions(invocationContext, () => body(...inputs));
}
