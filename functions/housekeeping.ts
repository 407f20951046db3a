// Housekeeping: what the durable engine keeps of attempts that have ended is removed after a while, for it only grows. Orders, their
// records and the history in them stay.
import { app } from "@azure/functions";
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import { instant } from "../shared/operations/ports.ts";
import { removeEnded } from "../shared/scheduler-client.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

app.timer("housekeeping", {
  schedule: "%HousekeepingSchedule%",
  extraInputs: [df.input.durableClient()],
  handler: async (_timer, context) => {
    const { now, timing } = ports();
    const { Completed, Failed, Terminated } = df.OrchestrationRuntimeStatus;
    const before = instant(now() - timing.orchestrationsKeptForMs);
    const removed = await removeEnded(df.getClient(context), before, [Completed, Failed, Terminated]);
    logTelemetry(context).event("OrchestrationsRemoved", { removed, before });
  },
});
