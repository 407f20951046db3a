// Measures the gauges at an interval.
import { app } from "@azure/functions";
import { gauges } from "@scheduler-agent-supervisor/operator/functions/gauges";
import { application } from "../shared/app.ts";

app.timer("gauges", { schedule: "%GaugesSchedule%", handler: gauges(application) });
