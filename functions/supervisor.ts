// The supervisor (P10, P12): at an interval, or when asked over HTTP, finds what nobody finished and has it recovered.
import { app } from "@azure/functions";
import { parseSweepQuery, parseWhatIfQuery } from "@scheduler-agent-supervisor/core/messaging/supervisor-request";
import { sweep } from "@scheduler-agent-supervisor/core/operations/sweep";
import { whatIf } from "@scheduler-agent-supervisor/core/operations/what-if";
import { logTelemetry } from "@scheduler-agent-supervisor/core/telemetry/events";
import { application } from "../shared/app.ts";
import { atFault, operatorEndpoint } from "./http/operator-endpoint.ts";

app.timer("supervisor", {
  schedule: "%SupervisorSchedule%",
  handler: async (_timer, context) => {
    await sweep(application.contextOf(logTelemetry(context)));
  },
});

// Timers have been seen to stop for good after a deployment (azure-functions-host#11828): a sweep can be had without one.
operatorEndpoint("supervisorSweep", {
  method: "POST",
  route: "supervisor/sweep",
  role: "Orders.Operate",
  handle: async (request, context) => {
    const asked = parseSweepQuery(request.query.entries());
    if (asked.kind === "invalid") return atFault(asked.faults);
    const outcome = await sweep(application.contextOf(logTelemetry(context)));
    return { status: outcome.kind === "swept" ? 200 : 409, jsonBody: outcome };
  },
});

operatorEndpoint("supervisorWhatIf", {
  method: "GET",
  route: "supervisor/what-if",
  role: "Orders.Read",
  handle: async (request, context) => {
    const asked = parseWhatIfQuery(request.query.entries());
    if (asked.kind === "invalid") return atFault(asked.faults);
    return { jsonBody: await whatIf(application.contextOf(logTelemetry(context)), asked.value) };
  },
});

// A host that stops in order lets the next one lead at once, not a lease later.
app.hook.appTerminate(() => application.ports().leadership.release());
