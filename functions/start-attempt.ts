// The scheduler's own queue (P10): the supervisor or an operator asks here for an order's next attempt.
import { app } from "@azure/functions";
import { startAttempt } from "@scheduler-agent-supervisor/core/functions/start-attempt";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

app.serviceBusQueue("startAttempt", {
  queueName: "%SchedulerQueue%",
  connection: "ServiceBus",
  extraInputs: [df.input.durableClient()],
  handler: startAttempt(application),
});
