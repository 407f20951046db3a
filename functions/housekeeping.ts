// Housekeeping: what the durable engine keeps of attempts that have ended is removed after a while, for it only grows; and orders that
// are over are closed, where a setting says how long they are kept.
import { app } from "@azure/functions";
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import { closeOrders } from "../shared/operations/close-orders.ts";
import { instant } from "../shared/operations/ports.ts";
import { removeEnded } from "../shared/scheduler-client.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

/** A run has five minutes (functionTimeout), and a page more takes seconds. */
const CLOSING_MS = 120_000;

app.timer("housekeeping", {
  schedule: "%HousekeepingSchedule%",
  extraInputs: [df.input.durableClient()],
  handler: async (_timer, context) => {
    const { now, timing } = ports();
    const { Completed, Failed, Terminated } = df.OrchestrationRuntimeStatus;
    const before = instant(now() - timing.orchestrationsKeptForMs);
    const removed = await removeEnded(df.getClient(context), before, [Completed, Failed, Terminated]);
    const telemetry = logTelemetry(context);
    telemetry.event("OrchestrationsRemoved", { removed, before });
    const { retention } = ports();
    if (retention) await closeOrders(retention, CLOSING_MS, ports(), telemetry);
  },
});
