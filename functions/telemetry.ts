// Telemetry begins with the app and sends what it still holds before the app ends.
import { app } from "@azure/functions";
import { recordingExceptions } from "@scheduler-agent-supervisor/core/telemetry/exceptions";
import { flushTelemetry, isExporting, startTelemetry } from "@scheduler-agent-supervisor/core/telemetry/start";
import { application } from "../shared/app.ts";

/** The host gives its workers a few seconds. */
const FLUSH_WITHIN_MS = 2000;

if (isExporting(application.telemetrySettings)) {
  // A host that exports by OpenTelemetry then sends neither the worker's lines a second time nor what its functions throw: it leaves out the
  // categories Function.* and Host.Results (the host's own source, its OpenTelemetry configuration).
  app.setup({ capabilities: { WorkerOpenTelemetryEnabled: true } });
  // Round the body of each function that there is, whatever file it is in.
  app.hook.preInvocation((invocation) => {
    const { functionHandler: body, invocationContext } = invocation;
    invocation.functionHandler = (...inputs) => recordingExceptions(invocationContext, () => body(...inputs));
  });
}

app.hook.appStart(() => startTelemetry(application.telemetrySettings));
app.hook.appTerminate(() => flushTelemetry(FLUSH_WITHIN_MS));
