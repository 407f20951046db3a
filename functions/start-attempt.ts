// The scheduler's own queue (P10): the supervisor or an operator asks here for a job's next attempt.
import { app } from "@azure/functions";
import { BOUND_AS_BYTES, QUEUES, startAttempt } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

app.serviceBusQueue("startAttempt", {
  queueName: QUEUES.scheduler,
  connection: "ServiceBus",
  ...BOUND_AS_BYTES,
  extraInputs: [df.input.durableClient()],
  handler: startAttempt(application),
});
