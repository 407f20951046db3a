// The front door (P1): jobs arrive on the shared queues, on their sender's own, or by HTTP.
import { app } from "@azure/functions";
import { QUEUES } from "@scheduler-agent-supervisor/core/app";
import { fromQueue, functionName, onSubmission, submissionsByHttp } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

// Azure reads the list of functions when the app starts: a sender's queue that is added to the setting has its function from then on.
for (const [name, queueName] of [
  ["submission", QUEUES.jobs],
  ["submissionPriority", QUEUES.priorityJobs],
  ...application.submissionQueues.map(({ queue }) => [`submission_${functionName(queue)}`, queue] as const),
] as const) {
  app.serviceBusQueue(name, {
    ...fromQueue(queueName),
    extraInputs: [df.input.durableClient()],
    handler: onSubmission(application, queueName, async ({ submission, scheduler }) => {
      const read = await submission.read();
      if (read.kind === "cancellation") return submission.cancel();
      // Job and state record in one batch: a message that is delivered twice finds them.
      const job = await submission.record(read);
      // What is no job is kept with every fault, and its sender is told.
      if (job.kind !== "recorded") return submission.quarantine(job);
      // Pending, and locked by nobody -> Processing, locked by the first attempt.
      const claim = await scheduler.claim(job);
      if (claim?.kind === "claimed") await scheduler.start(claim);
    }),
  });
}

for (const [name, options] of submissionsByHttp(application)) app.http(name, options);
