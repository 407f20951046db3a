// The supervisor (P10): at an interval, finds what nobody finished and has it recovered.
import { app } from "@azure/functions";
import { ports } from "../shared/compose.ts";
import { sweep } from "../shared/operations/sweep.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

app.timer("supervisor", {
  schedule: "%SupervisorSchedule%",
  handler: async (_timer, context) => {
    await sweep(ports(), logTelemetry(context));
  },
});
