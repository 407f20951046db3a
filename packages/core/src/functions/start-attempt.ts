// The scheduler's own queue (P10): the supervisor or an operator requests a job's next attempt here.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { StartAttempt } from "../domain/steps/attempt.ts";
import { QUEUES } from "../messaging/queues.ts";
import { claimJob } from "../scheduler/claim-job.ts";
import { createLossHandler } from "../scheduler/publishing/publish-ends-again.ts";
import { startClaimed } from "../scheduler/scheduler-client.ts";
import { parseStartAttempt } from "../scheduler/start-attempt-message.ts";
import { observeMessage } from "../telemetry/invocation.ts";
import { engineClient } from "./engine-client.ts";
import { readMessage } from "./received-message.ts";
import { workOnMessage } from "./work-on-message.ts";

/**
 * The Service Bus function of the scheduler's queue: claims the job, and starts the orchestration of its next attempt. A message that is delivered
 * twice starts one attempt. If the engine does not know the attempt before, it was lost: what only it would have published is published again.
 */
export function startAttempt(application: App): (bound: unknown, context: InvocationContext) => Promise<void> {
  const afterLoss = createLossHandler();
  return (bound, context) => {
    const incoming = readMessage(bound, QUEUES.scheduler, context, "asText");
    const { jobId = null, attempt = null, direction = null } = (incoming.body ?? {}) as Partial<StartAttempt>;
    return observeMessage(context, { jobId, attempt, direction }, (telemetry) =>
      workOnMessage(application, incoming, telemetry, async ({ body }) => {
        const asked = parseStartAttempt(body);
        await application.ports().admission.admit("begun");
        const own = application.contextOf(telemetry);
        const claim = await claimJob(asked, own);
        if (claim.kind !== "claimed") return;
        const isKnown = await startClaimed(engineClient(context), claim, own);
        if (!isKnown) await afterLoss(claim.attempt, own);
      }),
    );
  };
}
