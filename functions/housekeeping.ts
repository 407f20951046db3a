// Housekeeping: what is over is removed after a while.
import { app } from "@azure/functions";
import { housekeeping } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

app.timer("housekeeping", {
  schedule: "%HousekeepingSchedule%",
  extraInputs: [df.input.durableClient()],
  handler: housekeeping(application),
});
