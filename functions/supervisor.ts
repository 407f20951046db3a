// The supervisor (P10, P12): at an interval, or when asked over HTTP, finds what nobody finished and has it recovered; and
// compares, at a longer one, what engine and store say of what nobody has touched.
import { app, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import { parseSweepQuery, parseWhatIfQuery } from "../shared/messaging/supervisor-request.ts";
import { type ReconcileReport, reconcile } from "../shared/operations/reconcile.ts";
import { sweep } from "../shared/operations/sweep.ts";
import { whatIf } from "../shared/operations/what-if.ts";
import { orchestrationsOf } from "../shared/scheduler-client.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";
import { atFault, operatorEndpoint } from "./http/operator-endpoint.ts";

app.timer("supervisor", {
  schedule: "%SupervisorSchedule%",
  extraInputs: [df.input.durableClient()],
  handler: async (_timer, context) => {
    const { now, timing } = ports();
    const isDue = now() - reconciledAt >= timing.reconcileAfterMs;
    if (isDue) reconciledAt = now();
    try {
      await sweep(ports(), logTelemetry(context));
    } finally {
      if (isDue) await reconcileNow(context);
    }
  },
});

let reconciledAt = 0;

/** Each host for its own task hub, whoever leads. */
function reconcileNow(context: InvocationContext): Promise<ReconcileReport> {
  const { Running, Pending } = df.OrchestrationRuntimeStatus;
  const orchestrations = orchestrationsOf(df.getClient(context), [Running, Pending]);
  return reconcile(orchestrations, ports(), logTelemetry(context));
}

// Timers have been seen to stop for good after a deployment (azure-functions-host#11828): a sweep can be had without one.
operatorEndpoint("supervisorSweep", {
  method: "POST",
  route: "supervisor/sweep",
  role: "Orders.Operate",
  handle: async (request, context) => {
    const asked = parseSweepQuery(request.query.entries());
    if (asked.kind === "invalid") return atFault(asked.faults);
    const outcome = await sweep(ports(), logTelemetry(context));
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
    return { jsonBody: await whatIf(ports(), logTelemetry(context), asked.value) };
  },
});

operatorEndpoint("supervisorReconcile", {
  method: "POST",
  route: "supervisor/reconcile",
  role: "Orders.Operate",
  extraInputs: [df.input.durableClient()],
  handle: async (request, context) => {
    const asked = parseSweepQuery(request.query.entries());
    if (asked.kind === "invalid") return atFault(asked.faults);
    return { jsonBody: await reconcileNow(context) };
  },
});

// A host that stops in order lets the next one lead at once, not a lease later.
app.hook.appTerminate(() => ports().leadership.release());
