// Housekeeping: removes the durable engine's data of ended attempts after a while, because it only grows; and closes jobs that are over, if a
// setting limits how long they are kept.
import type { InvocationContext, Timer } from "@azure/functions";
import * as df from "durable-functions";
import type { App } from "../app/create-app.ts";
import { removeEnded } from "../scheduler/scheduler-client.ts";
import { closeJobs } from "../supervisor/close-jobs.ts";
import { removeAttempts } from "../supervisor/remove-attempts.ts";
import { logTelemetry } from "../telemetry/events.ts";

/** A run has five minutes (functionTimeout): one minute is left for work in progress when the time for each task is over. */
const REMOVING_MS = 120_000;
const CLOSING_MS = 120_000;

/**
 * The timer function that removes the engine's data of old attempts, and closes jobs that are over; each for at most two minutes.
 * @throws the fault that stopped either of them: the next run continues
 */
export const housekeeping =
  (application: App) =>
  async (_timer: Timer, context: InvocationContext): Promise<void> => {
    const { now, timing, retention } = application.ports();
    const client = df.getClient(context);
    const { Completed, Failed, Terminated } = df.OrchestrationRuntimeStatus;
    const purge = (from: Date, to: Date) => removeEnded(client, from, to, [Completed, Failed, Terminated]);
    const before = now() - timing.orchestrationsKeptForMs;
    const telemetry = logTelemetry(context);
    // The two tasks are independent.
    const done = await Promise.allSettled([
      removeAttempts({ purge, progress: application.purgeProgress(), now }, before, REMOVING_MS, telemetry),
      retention && closeJobs(retention, CLOSING_MS, application.contextOf(telemetry)),
    ]);
    const fault = done.find(({ status }) => status === "rejected");
    if (fault?.status === "rejected") throw fault.reason;
  };
