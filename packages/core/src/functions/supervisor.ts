// The supervisor (P10, P12): finds what nobody finished and has it recovered, at an interval or when asked over HTTP.
import type { InvocationContext, Timer } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { parseSweepQuery, parseWhatIfQuery } from "../messaging/supervisor-request.ts";
import { sweep } from "../operations/sweep.ts";
import { whatIf } from "../operations/what-if.ts";
import { logTelemetry } from "../telemetry/events.ts";
import { atFault, type Endpoints } from "./operator-endpoint.ts";

/**
 * The timer function that sweeps: on one instance at a time, on the others it does nothing.
 * @throws where the store can't be searched: the next run sweeps again
 */
export const supervisor =
  (application: App) =>
  async (_timer: Timer, context: InvocationContext): Promise<void> => {
    await sweep(application.contextOf(logTelemetry(context)));
  };

/** The hook at the host's end that gives up the lead: the next host leads at once, not a lease later. */
export const releaseLead = (application: App) => () => application.ports().leadership.release();

/** The HTTP functions of the supervisor: a sweep when asked for, and what another policy would have done. */
export function supervisorApi(application: App): Endpoints {
  return {
    // Timers have been seen to stop for good after a deployment (azure-functions-host#11828): a sweep can be had without one.
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
