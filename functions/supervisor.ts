// The supervisor (P10, P12): at an interval, or when asked over HTTP, finds what nobody finished and has it recovered.
import { app, type HttpResponseInit } from "@azure/functions";
import { ports } from "../shared/compose.ts";
import { sweep } from "../shared/operations/sweep.ts";
import { whatIf } from "../shared/operations/what-if.ts";
import { parseSweepQuery, parseWhatIfQuery } from "../shared/supervision/what-if-query.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

app.timer("supervisor", {
  schedule: "%SupervisorSchedule%",
  handler: async (_timer, context) => {
    await sweep(ports(), logTelemetry(context));
  },
});

// Timers have been seen to stop for good after a deployment (azure-functions-host#11828): a sweep can be had without one.
app.http("supervisorSweep", {
  methods: ["POST"],
  authLevel: "function",
  route: "supervisor/sweep",
  handler: async (request, context) => {
    const asked = parseSweepQuery(request.query.entries());
    if (asked.kind === "invalid") return refused(asked.faults);
    const outcome = await sweep(ports(), logTelemetry(context));
    return { status: outcome.kind === "swept" ? 200 : 409, jsonBody: outcome };
  },
});

app.http("supervisorWhatIf", {
  methods: ["GET"],
  authLevel: "function",
  route: "supervisor/what-if",
  handler: async (request, context) => {
    const asked = parseWhatIfQuery(request.query.entries());
    if (asked.kind === "invalid") return refused(asked.faults);
    return { jsonBody: await whatIf(ports(), logTelemetry(context), asked.query) };
  },
});

// A host that stops in order lets the next one lead at once, not a lease later.
app.hook.appTerminate(() => ports().leadership.release());

function refused(faults: readonly string[]): HttpResponseInit {
  return { status: 400, jsonBody: { error: "The request is at fault.", faults } };
}
