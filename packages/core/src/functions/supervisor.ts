// The supervisor (P10, P12): finds overdue jobs and recovers them, at an interval.
import type { InvocationContext, Timer } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { sweep } from "../supervisor/sweep.ts";
import { logTelemetry } from "../telemetry/events.ts";

/**
 * The timer function that sweeps: only one instance at a time sweeps, the others do nothing.
 * @throws if the store can't be searched: the next run sweeps again
 */
export const supervisor =
  (application: App) =>
  async (_timer: Timer, context: InvocationContext): Promise<void> => {
    await sweep(application.contextOf(logTelemetry(context)));
  };

/** The hook at the host's end that releases the leadership: the next host becomes leader at once, and not after the lease. */
export const releaseLead = (application: App) => () => application.ports().leadership.release();
