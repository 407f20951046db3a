// The supervisor over HTTP (P10, P12): a sweep on request.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoutes, atFault } from "@scheduler-agent-supervisor/core/functions";
import { sweepFor } from "@scheduler-agent-supervisor/core/scheduling";
import { logTelemetry } from "@scheduler-agent-supervisor/core/telemetry";
import { parseSweepQuery } from "../messaging/supervisor-request.ts";

export function supervisorApi(application: App): ApiRoutes {
  return {
    // Timers have stopped permanently after a deployment (azure-functions-host#11828): an operator can sweep without one.
    supervisorSweep: {
      method: "POST",
      route: "supervisor/sweep",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const asked = parseSweepQuery(request.query.entries());
        if (asked.kind === "invalid") return atFault(asked.faults);
        const outcome = await sweepFor(operator, application.contextOf(logTelemetry(context)));
        return { status: outcome.kind === "swept" ? 200 : 409, jsonBody: outcome };
      },
    },
  };
}
