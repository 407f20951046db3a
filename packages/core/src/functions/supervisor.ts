// The supervisor's timers (P10, P12): finds overdue jobs and recovers them; and removes what is over.
import type { InvocationContext, Timer } from "@azure/functions";
import * as df from "durable-functions";
import type { App } from "../app/create-app.ts";
import { removeEnded } from "../scheduler/scheduler-client.ts";
import { closeJobs } from "../supervisor/close-jobs.ts";
import type { Recover } from "../supervisor/recover-job.ts";
import { removeAttempts } from "../supervisor/remove-attempts.ts";
import { sweep } from "../supervisor/sweep.ts";
import { logTelemetry } from "../telemetry/events.ts";

/**
 * The timer function that sweeps: only one instance at a time sweeps, the others do nothing.
 * @param recover what is done with each overdue record, the longest overdue first; several at the same time
 * @throws if the store can't be searched: the next run sweeps again
 */
export const supervisor =
  (application: App, recover: Recover) =>
  async (_timer: Timer, context: InvocationContext): Promise<void> => {
    await sweep(application.contextOf(logTelemetry(context)), recover);
  };

/** The hook at the host's end that releases the leadership: the next host becomes leader at once, and not after the lease. */
export const releaseLead = (application: App) => () => application.ports().leadership.release();

/** A run has five minutes (functionTimeout): one minute is left for work in progress when the time for each task is over. */
const REMOVING_MS = 120_000;
const CLOSING_MS = 120_000;

/**
 * The timer function of housekeeping: removes the engine's data of old attempts, because it only grows, and closes jobs that are over, if a setting
 * limits how long they are kept; each for at most two minutes.
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
