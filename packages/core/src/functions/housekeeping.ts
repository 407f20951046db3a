// Housekeeping: what the durable engine keeps of attempts that have ended is removed after a while, for it only grows; and jobs that
// are over are closed, where a setting says how long they are kept.
import type { InvocationContext, Timer } from "@azure/functions";
import * as df from "durable-functions";
import type { App } from "../app/create-app.ts";
import { closeJobs } from "../operations/close-jobs.ts";
import { removeAttempts } from "../operations/remove-attempts.ts";
import { removeEnded } from "../scheduler-client.ts";
import { logTelemetry } from "../telemetry/events.ts";

/** A run has five minutes (functionTimeout): a minute is left for what is under way when the time of each is over. */
const REMOVING_MS = 120_000;
const CLOSING_MS = 120_000;

/**
 * The timer function that removes what the engine keeps of old attempts, and closes jobs that are over; each for two minutes at the longest.
 * @throws what kept either from its work: the next run goes on
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
    // The one does not depend on the other.
    const done = await Promise.allSettled([
      removeAttempts({ purge, progress: application.purgeProgress(), now }, before, REMOVING_MS, telemetry),
      retention && closeJobs(retention, CLOSING_MS, application.contextOf(telemetry)),
    ]);
    const fault = done.find(({ status }) => status === "rejected");
    if (fault?.status === "rejected") throw fault.reason;
  };
