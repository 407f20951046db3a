// Telemetry begins with the app and sends what it still holds before the app ends.
import { app } from "@azure/functions";
import { telemetrySettings } from "../shared/compose.ts";
import { flushTelemetry, isExporting, startTelemetry } from "../shared/telemetry/start.ts";

/** The host gives its workers a few seconds. */
const FLUSH_WITHIN_MS = 2000;

// A host that exports by OpenTelemetry then does not send the worker's lines a second time.
if (isExporting(telemetrySettings)) app.setup({ capabilities: { WorkerOpenTelemetryEnabled: true } });

app.hook.appStart(() => startTelemetry(telemetrySettings));
app.hook.appTerminate(() => flushTelemetry(FLUSH_WITHIN_MS));
