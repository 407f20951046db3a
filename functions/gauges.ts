// Measures the gauges at an interval: how many orders stand where, and how long messages wait.
import { app } from "@azure/functions";
import { measureGauges } from "@scheduler-agent-supervisor/core/operations/measure-gauges";
import { logTelemetry } from "@scheduler-agent-supervisor/core/telemetry/events";
import { gaugePorts } from "../shared/compose.ts";

app.timer("gauges", {
  schedule: "%GaugesSchedule%",
  handler: (_timer, context) => measureGauges({ ...gaugePorts(), telemetry: logTelemetry(context) }),
});
