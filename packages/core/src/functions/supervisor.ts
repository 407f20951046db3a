// The supervisor (P10, P12): finds overdue jobs and recovers them, at an interval or on request over HTTP.
import type { InvocationContext, Timer } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { parseSweepQuery, parseWhatIfQuery } from "../messaging/supervisor-request.ts";
import { whatIf } from "../operations/what-if.ts";
import { sweep } from "../supervisor/sweep.ts";
import { logTelemetry } from "../telemetry/events.ts";
import { atFault, type Endpoints } from "./operator-endpoint.ts";

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

/** The HTTP functions of the supervisor: a sweep on request, and a what-if with another policy. */
export function supervisorApi(application: App): Endpoints {
  return {
    // Timers have stopped permanently after a deployment (azure-functions-host#11828): an operator can sweep without one.
    supervisorSweep: {
      method: "POST",
      route: "supervisor/sweep",
      role: "Jobs.Operate",
      handle: async (request, context) => {
        const asked = parseSweepQuery(request.query.entries());
        if (asked.kind === "invalid") return atFault(asked.faults);
        const outcome = await sweep(application.contextOf(logTelemetry(context)));
        return { status: outcome.kind === "swept" ? 200 : 409, jsonBody: outcome };
      },
    },
    supervisorWhatIf: {
      method: "GET",
      route: "supervisor/what-if",
      role: "Jobs.Read",
      handle: async (request, context) => {
        const asked = parseWhatIfQuery(request.query.entries());
        if (asked.kind === "invalid") return atFault(asked.faults);
        return { jsonBody: await whatIf(application.contextOf(logTelemetry(context)), asked.value) };
      },
    },
  };
}
