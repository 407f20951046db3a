// Measures the gauges at an interval: how many orders stand where, and how long messages wait.
import { app } from "@azure/functions";
import { measureGauges } from "@scheduler-agent-supervisor/core/operations/measure-gauges";
import { logTelemetry } from "@scheduler-agent-supervisor/core/telemetry/events";
import { application } from "../shared/app.ts";

app.timer("gauges", {
  schedule: "%GaugesSchedule%",
  handler: (_timer, context) => measureGauges({ ...application.gaugePorts(), telemetry: logTelemetry(context) }),
});
