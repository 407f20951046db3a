// Measures the gauges at an interval, and has bulk runs go on that have stopped.
import { app } from "@azure/functions";
import { gauges, gaugesInputs } from "@scheduler-agent-supervisor/operator/functions";
import { application } from "../shared/app.ts";

app.timer("gauges", {
  schedule: "%GaugesSchedule%",
  extraInputs: gaugesInputs,
  handler: gauges(application),
});
