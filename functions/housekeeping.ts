// Housekeeping: what the durable engine keeps of attempts that have ended is removed after a while, for it only grows; and orders that
// are over are closed, where a setting says how long they are kept.
import { app } from "@azure/functions";
import { closeOrders } from "@scheduler-agent-supervisor/core/operations/close-orders";
import { removeAttempts } from "@scheduler-agent-supervisor/core/operations/remove-attempts";
import { removeEnded } from "@scheduler-agent-supervisor/core/scheduler-client";
import { logTelemetry } from "@scheduler-agent-supervisor/core/telemetry/events";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

/** A run has five minutes (functionTimeout): a minute is left for what is under way when the time of each is over. */
const REMOVING_MS = 120_000;
const CLOSING_MS = 120_000;

app.timer("housekeeping", {
  schedule: "%HousekeepingSchedule%",
  extraInputs: [df.input.durableClient()],
  handler: async (_timer, context) => {
    const { now, timing, retention } = application.ports();
    const client = df.getClient(context);
    const { Completed, Failed, Terminated } = df.OrchestrationRuntimeStatus;
    const purge = (from: Date, to: Date) => removeEnded(client, from, to, [Completed, Failed, Terminated]);
    const before = now() - timing.orchestrationsKeptForMs;
    const telemetry = logTelemetry(context);
    // The one does not depend on the other.
    const done = await Promise.allSettled([
      removeAttempts({ purge, progress: application.purgeProgress(), now }, before, REMOVING_MS, telemetry),
      retention && closeOrders(retention, CLOSING_MS, application.contextOf(telemetry)),
    ]);
    const fault = done.find(({ status }) => status === "rejected");
    if (fault?.status === "rejected") throw fault.reason;
  },
});
