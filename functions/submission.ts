// The front door (P1): jobs arrive on the shared queues, on their sender's own, or by HTTP.
import { app } from "@azure/functions";
import {
  BOUND_AS_BYTES,
  functionName,
  QUEUES,
  submission,
  submissionsByHttp,
} from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

// Azure reads the list of functions when the app starts: a sender's queue that is added to the setting has its function from then on.
for (const [name, queueName] of [
  ["submission", QUEUES.jobs],
  ["submissionPriority", QUEUES.priorityJobs],
  ...application.submissionQueues.map(({ queue }) => [`submission_${functionName(queue)}`, queue] as const),
] as const) {
  app.serviceBusQueue(name, {
    queueName,
    connection: "ServiceBus",
    ...BOUND_AS_BYTES,
    extraInputs: [df.input.durableClient()],
    handler: submission(application, queueName),
  });
}
for (const [name, options] of submissionsByHttp(application)) app.http(name, options);
