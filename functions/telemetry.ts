// Telemetry begins with the app and sends what it still holds before the app ends.
import { app } from "@azure/functions";
import { telemetryHooks } from "@scheduler-agent-supervisor/core/functions";
import { application } from "../shared/app.ts";

const { preInvocation, appStart, appTerminate } = telemetryHooks(application);

if (preInvocation) {
  // A host that exports by OpenTelemetry then sends neither the worker's lines a second time nor what its functions throw: it leaves out the
  // categories Function.* and Host.Results (the host's own source, its OpenTelemetry configuration).
  app.setup({ capabilities: { WorkerOpenTelemetryEnabled: true } });
  app.hook.preInvocation(preInvocation);
}
app.hook.appStart(appStart);
app.hook.appTerminate(appTerminate);
