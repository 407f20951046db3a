// Takes stock for the gauges at an interval: how many orders stand where, and how long messages wait.
import { app } from "@azure/functions";
import { gaugePorts } from "../shared/compose.ts";
import { measureGauges } from "../shared/operations/measure-gauges.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

app.timer("stock", {
  schedule: "%GaugesSchedule%",
  handler: (_timer, context) => measureGauges(gaugePorts(), logTelemetry(context)),
});
